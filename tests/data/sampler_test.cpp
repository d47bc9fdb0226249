// SPDX-License-Identifier: GPL-3.0-or-later
// The order of samples: a permutation that count, seed and epoch alone decide.
#include "engine/data/sampler.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

namespace trainscope {
namespace {

using Order = std::vector<std::int64_t>;

Order order_of(Sampler& sampler, std::int64_t epoch) {
    const auto order = sampler.order(epoch);
    return {order.begin(), order.end()};
}
Order counting(std::int64_t count) {
    Order order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    return order;
}

TEST(Sampler, EveryEpochIsAPermutation) {
    for (const std::int64_t count : {0, 1, 2, 3, 31, 32, 33, 1000, 10'007}) {
        Sampler sampler(count, 9);
        EXPECT_EQ(sampler.count(), count);
        for (const std::int64_t epoch : {0, 1, 2, 77, 1'000'000}) {
            Order order = order_of(sampler, epoch);
            std::sort(order.begin(), order.end());
            EXPECT_EQ(order, counting(count)) << count << " samples, epoch " << epoch;
        }
    }
}

TEST(Sampler, OrderIsAFunctionOfCountSeedAndEpochAlone) {
    Sampler one(500, 3);
    Sampler other(500, 3);
    const Order fifth = order_of(one, 5);
    order_of(other, 0);
    order_of(other, 9);
    EXPECT_EQ(order_of(other, 5), fifth);
    EXPECT_EQ(order_of(one, 5), fifth);  // asked again
    order_of(one, 6);
    EXPECT_EQ(order_of(one, 5), fifth);  // and after another
}

TEST(Sampler, EpochsAndSeedsDiffer) {
    Sampler sampler(500, 3);
    Sampler of_other_seed(500, 4);
    const Order first = order_of(sampler, 0);
    EXPECT_NE(first, order_of(sampler, 1));
    EXPECT_NE(first, order_of(of_other_seed, 0));
    EXPECT_NE(first, counting(500));
}

// A sample comes first as often as any other: 6,000 epochs of 6 samples, 5 standard deviations.
TEST(Sampler, EverySampleIsAsOftenAtEachPlace) {
    Sampler sampler(6, 1);
    std::vector<int> counts(36);
    for (std::int64_t epoch = 0; epoch < 6000; ++epoch) {
        const auto order = sampler.order(epoch);
        for (std::size_t place = 0; place < 6; ++place) {
            ++counts[6 * place + static_cast<std::size_t>(order[place])];
        }
    }
    EXPECT_THAT(counts, ::testing::Each(::testing::AllOf(::testing::Gt(855), ::testing::Lt(1145))));
}

TEST(Sampler, WithoutShufflingKeepsTheOrderOfTheFile) {
    Sampler sampler(100, 3, false);
    EXPECT_EQ(order_of(sampler, 0), counting(100));
    EXPECT_EQ(order_of(sampler, 8), counting(100));
}

}  // namespace
}  // namespace trainscope
