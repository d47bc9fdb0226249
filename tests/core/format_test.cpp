// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/format.h"

#include <gtest/gtest.h>

#include <limits>

namespace trainscope {
namespace {

TEST(Format, BytesTakeTheLargestBinaryUnitThatFits) {
    EXPECT_EQ(format_bytes(0), "0 B");
    EXPECT_EQ(format_bytes(1023), "1023 B");
    EXPECT_EQ(format_bytes(1024), "1.0 KiB");
    EXPECT_EQ(format_bytes(1'572'864), "1.5 MiB");
    EXPECT_EQ(format_bytes(std::int64_t{8} << 30), "8.0 GiB");
    EXPECT_EQ(format_bytes(-2048), "-2.0 KiB");
}

TEST(Format, TwoSizesThatDifferNeverReadTheSame) {
    const auto apart = [](std::int64_t a, std::int64_t b) {
        const auto [first, second] = format_bytes_apart(a, b);
        return first + " / " + second;
    };
    EXPECT_EQ(apart(1'572'900, 1'572'864), "1,572,900 B / 1,572,864 B");
    EXPECT_EQ(apart(std::int64_t{8} << 30, (std::int64_t{8} << 30) + 1),
              "8,589,934,592 B / 8,589,934,593 B");
    EXPECT_EQ(apart(1'572'864, 1'572'864), "1.5 MiB / 1.5 MiB");
    EXPECT_EQ(apart(2 << 20, 1 << 20), "2.0 MiB / 1.0 MiB");
}

TEST(Format, CountsAreGroupedByThousands) {
    EXPECT_EQ(format_count(0), "0");
    EXPECT_EQ(format_count(999), "999");
    EXPECT_EQ(format_count(1000), "1,000");
    EXPECT_EQ(format_count(31'530), "31,530");
    EXPECT_EQ(format_count(-1'234'567), "-1,234,567");
    EXPECT_EQ(format_count(-123), "-123");
}

TEST(Format, DurationsAreSecondsThenMinutesThenHours) {
    EXPECT_EQ(format_duration(4.21), "4.2 s");
    EXPECT_EQ(format_duration(59.96), "1:00");
    EXPECT_EQ(format_duration(61), "1:01");
    EXPECT_EQ(format_duration(3723), "1:02:03");
    EXPECT_EQ(format_duration(-1), "unknown");
    EXPECT_EQ(format_duration(std::numeric_limits<double>::quiet_NaN()), "unknown");
    EXPECT_EQ(format_duration(std::numeric_limits<double>::infinity()), "unknown");
}

TEST(Format, ThreeDigitsCount) {
    EXPECT_EQ(format_three_digits(1.234), "1.23");
    EXPECT_EQ(format_three_digits(9.996), "10.0");
    EXPECT_EQ(format_three_digits(99.96), "100");
    EXPECT_EQ(format_three_digits(0.5), "0.50");
    EXPECT_EQ(format_three_digits(-12.34), "-12.3");
    EXPECT_EQ(format_three_digits(12345), "12345");
    EXPECT_EQ(format_three_digits(-std::numeric_limits<double>::quiet_NaN()), "nan");
    EXPECT_EQ(format_three_digits(std::numeric_limits<double>::infinity()), "inf");
}

TEST(Format, AFloatIsWhatAPersonWrote) {
    EXPECT_EQ(format_float(0.05F), "0.05");
    EXPECT_EQ(format_float(1e-7F), "1e-07");
    EXPECT_EQ(as_written(0.05F), 0.05);
    EXPECT_EQ(as_written(0.9999F), 0.9999);
    EXPECT_EQ(as_written(std::numeric_limits<float>::infinity()),
              std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace trainscope
