// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/shape.h"

#include <gtest/gtest.h>

#include <array>

namespace trainscope {
namespace {

TEST(Shape, CountsItsElements) {
    EXPECT_EQ(Shape({16, 3, 3, 3}).elements(), 432);
    EXPECT_EQ(Shape().elements(), 1);
    EXPECT_EQ(Shape({5, 0, 7}).elements(), 0);
}

TEST(Shape, TakesABatchInFront) {
    EXPECT_EQ(Shape({1, 28, 28}).with_batch(32), Shape({32, 1, 28, 28}));
    EXPECT_NE(Shape({1, 28, 28}).with_batch(32), Shape({1, 28, 28, 32}));
}

TEST(Shape, IsWrittenInBrackets) {
    EXPECT_EQ(Shape({32, 1, 28, 28}).to_string(), "[32, 1, 28, 28]");
    EXPECT_EQ(Shape().to_string(), "[]");
}

TEST(Shape, SizesFromOutsideAreCheckedForSignAndOverflow) {
    using Dims = std::array<std::int64_t, 3>;
    EXPECT_EQ(checked_elements(Dims{3, 32, 32}), 3072);
    EXPECT_EQ(checked_elements(Dims{3, 0, 32}), 0);
    EXPECT_EQ(checked_elements(Dims{3, -1, 32}), -1);
    EXPECT_EQ(checked_elements(Dims{1 << 30, 1 << 30, 4}), std::int64_t{1} << 62);
    EXPECT_EQ(checked_elements(Dims{1 << 30, 1 << 30, 5}), -1);
}

TEST(Shape, SizesAreReadFromTextOrNotAtAll) {
    using Sizes = std::vector<std::int64_t>;
    EXPECT_EQ(read_sizes("3x32x32", 32), (Sizes{3, 32, 32}));
    EXPECT_EQ(read_sizes("7", 32), Sizes{7});
    for (const char* text :
         {"", "x", "3x", "x3", "3xx3", "3x33", "3x0", "3x-1", "3 x 3", "3x3.5", "+3"}) {
        EXPECT_EQ(read_sizes(text, 32), Sizes{}) << text;
    }
}

}  // namespace
}  // namespace trainscope
