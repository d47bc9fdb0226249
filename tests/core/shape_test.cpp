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

}  // namespace
}  // namespace trainscope
