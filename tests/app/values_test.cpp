// SPDX-License-Identifier: GPL-3.0-or-later
// What is typed on a command line, and what was meant by what was mistyped.
#include "app/command_line/values.h"

#include <gmock/gmock.h>

namespace trainscope::command_line {
namespace {

using ::testing::HasSubstr;

TEST(CommandLineValues, SizesHaveBinaryAndDecimalUnits) {
    EXPECT_EQ(*read_bytes("1048576"), 1'048'576);
    EXPECT_EQ(*read_bytes("8GiB"), 8'589'934'592);
    EXPECT_EQ(*read_bytes("8 GiB"), 8'589'934'592);
    EXPECT_EQ(*read_bytes("1.5MiB"), 1'572'864);
    EXPECT_EQ(*read_bytes("2MB"), 2'000'000);
    EXPECT_EQ(*read_bytes("512M"), 536'870'912);
    for (const char* wrong :
         {"", "GiB", "-1", "0", "8GiBs", "8 8", "nan", "inf", "1e3", "99999999999TiB", "1.2.3"}) {
        EXPECT_FALSE(read_bytes(wrong)) << wrong;
    }
}

TEST(CommandLineValues, WholeNumbersHaveBoundsAndNothingBehindThem) {
    EXPECT_EQ(*read_whole("1", 1, 1024), 1);
    EXPECT_EQ(*read_whole("1024", 1, 1024), 1024);
    for (const char* wrong :
         {"0", "-3", "", "1.5", "7x", " 7", "1e3", "1025", "99999999999999999999"}) {
        const auto read = read_whole(wrong, 1, 1024);
        ASSERT_FALSE(read) << wrong;
        EXPECT_EQ(read.error().message,
                  "expected a whole number from 1 to 1024, found '" + std::string(wrong) + "'");
    }
}

TEST(CommandLineValues, WhatFloat32DoesNotHoldIsRefusedAsThat) {
    EXPECT_EQ(*read_positive("3e38"), 3e38F);
    for (const char* wrong : {"1e300", "1e39", "1e-60", "1e999"}) {
        const auto read = read_positive(wrong);
        ASSERT_FALSE(read) << wrong;
        EXPECT_THAT(read.error().message, HasSubstr("float32")) << wrong;
        EXPECT_THAT(read.error().message, HasSubstr(wrong));
    }
}

TEST(CommandLineValues, PositiveNumbersAreFinite) {
    EXPECT_EQ(*read_positive("1e-3"), 0.001F);
    for (const char* wrong : {"0", "-1", "nan", "inf", "1e999", "0,05", ""}) {
        EXPECT_FALSE(read_positive(wrong)) << wrong;
    }
}

TEST(CommandLineValues, ShapesAreThreeSizes) {
    EXPECT_EQ(*read_sample_shape("3x32x31"), (Shape{3, 32, 31}));
    for (const char* wrong :
         {"", "3x32", "3x32x32x1", "0x1x1", "3x-1x2", "axbxc", "3x32x", "1x1x1048577"}) {
        EXPECT_FALSE(read_sample_shape(wrong)) << wrong;
    }
}

TEST(CommandLineValues, WhatIsTooLargeIsToldTheBound) {
    EXPECT_THAT(read_sample_shape("999999999999x1x1").error().message, HasSubstr("1 to 1048576"));
    EXPECT_THAT(read_picture_size("30000x30000").error().message, HasSubstr("1 to 20000"));
    EXPECT_THAT(read_bytes("999999999999TiB").error().message, HasSubstr("below 4194304TiB"));
    EXPECT_TRUE(read_bytes("4194303TiB"));
}

TEST(CommandLineValues, AssignmentsHaveBothSides) {
    EXPECT_EQ(*read_assignment("conv2d=direct"),
              std::pair(std::string("conv2d"), std::string("direct")));
    for (const char* wrong : {"", "=", "conv2d", "conv2d=", "=direct"}) {
        EXPECT_FALSE(read_assignment(wrong)) << wrong;
    }
}

}  // namespace
}  // namespace trainscope::command_line
