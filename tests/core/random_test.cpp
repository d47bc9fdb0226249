// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace trainscope {
namespace {

// The published first outputs of SplitMix64 for seed 1234567.
TEST(Random, IsSplitMix64) {
    Random random(1234567);
    EXPECT_EQ(random.next(), 6457827717110365317u);
    EXPECT_EQ(random.next(), 3203168211198807973u);
    EXPECT_EQ(random.next(), 9817491932198370423u);
}

TEST(Random, NormalsHaveMeanZeroAndVarianceOne) {
    Random random(7);
    double sum = 0;
    double squares = 0;
    constexpr int count = 200'000;
    for (int i = 0; i < count; ++i) {
        const double value = random.normal();
        ASSERT_TRUE(std::isfinite(value));
        sum += value;
        squares += value * value;
    }
    EXPECT_NEAR(sum / count, 0.0, 0.01);  // 4.5 standard errors
    EXPECT_NEAR(squares / count, 1.0, 0.015);
}

TEST(Random, BelowIsUniformAndInRange) {
    Random random(3);
    std::array<int, 6> counts{};
    for (int i = 0; i < 60'000; ++i) {
        const std::uint64_t value = random.below(6);
        ASSERT_LT(value, 6u);
        ++counts[value];
    }
    for (const int count : counts) {
        EXPECT_NEAR(count, 10'000, 450);  // 5 standard deviations
    }
    EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, StreamsOfOneSeedDiffer) {
    EXPECT_NE(Random(1, 0).next(), Random(1, 1).next());
    EXPECT_NE(Random(1, 1).next(), Random(2, 1).next());
    EXPECT_EQ(Random(1, 5).next(), Random(1, 5).next());
}

}  // namespace
}  // namespace trainscope
