// SPDX-License-Identifier: GPL-3.0-or-later
// Initial values: seeded, a stream for each parameter, and of the distribution they are named
// after.
#include "engine/model/initialize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace trainscope {
namespace {

using Floats = std::vector<float>;

constexpr std::int64_t many = 100'000;

Floats values_of(ParameterInit init, std::uint64_t seed, std::size_t index,
                 std::int64_t count = many, std::int64_t fan_in = 50, std::int64_t fan_out = 10) {
    const ParameterSpec parameter{
        .name = "w", .shape = {count}, .init = init, .fan_in = fan_in, .fan_out = fan_out};
    Floats values(static_cast<std::size_t>(count), std::nanf(""));
    initialize(parameter, seed, index, values);
    return values;
}

struct Moments {
    double mean = 0, variance = 0;
};

Moments moments_of(const Floats& values) {
    const auto n = static_cast<double>(values.size());
    Moments m;
    for (const float v : values) {
        m.mean += double{v} / n;
    }
    for (const float v : values) {
        m.variance += (double{v} - m.mean) * (double{v} - m.mean) / n;
    }
    return m;
}

double correlation(const Floats& a, const Floats& b) {
    const Moments ma = moments_of(a);
    const Moments mb = moments_of(b);
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += (double{a[i]} - ma.mean) * (double{b[i]} - mb.mean);
    }
    return sum / static_cast<double>(a.size()) / std::sqrt(ma.variance * mb.variance);
}

TEST(Initialize, TheSameSeedAndIndexGiveTheSameValues) {
    for (const auto init : {ParameterInit::kaiming_normal, ParameterInit::glorot_uniform}) {
        EXPECT_EQ(values_of(init, 7, 3), values_of(init, 7, 3));
    }
}

TEST(Initialize, AnotherSeedOrIndexGivesUnrelatedValues) {
    for (const auto init : {ParameterInit::kaiming_normal, ParameterInit::glorot_uniform}) {
        const Floats base = values_of(init, 7, 3);
        // Of 100,000 unrelated pairs, the correlation's deviation is 1 / sqrt(100,000) = 0.0032.
        EXPECT_LT(std::abs(correlation(base, values_of(init, 8, 3))), 0.016);
        EXPECT_LT(std::abs(correlation(base, values_of(init, 7, 4))), 0.016);
        EXPECT_LT(std::abs(correlation(base, values_of(init, 8, 2))), 0.016);
    }
}

TEST(Initialize, ALongerParameterBeginsLikeAShorterOne) {
    const Floats longer = values_of(ParameterInit::kaiming_normal, 1, 0, 100);
    const Floats shorter = values_of(ParameterInit::kaiming_normal, 1, 0, 60);
    EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
}

TEST(Initialize, KaimingNormalHasAVarianceOfTwoOverFanIn) {
    const Floats values = values_of(ParameterInit::kaiming_normal, 1, 0);
    const Moments m = moments_of(values);
    // The mean deviates by sqrt(0.04 / 100,000) = 0.0006, the variance by 0.04 * sqrt(2 / 100,000)
    // = 0.00018; the bounds are five of these.
    EXPECT_NEAR(m.mean, 0, 0.0032);
    EXPECT_NEAR(m.variance, 2.0 / 50, 0.0009);
}

TEST(Initialize, KaimingNormalHasTheTailsOfANormalDistribution) {
    const Floats values = values_of(ParameterInit::kaiming_normal, 2, 0);
    const double deviation = std::sqrt(2.0 / 50);
    const auto beyond = [&](double sigmas) {
        return static_cast<double>(std::count_if(
                   values.begin(), values.end(),
                   [&](float v) { return std::abs(double{v}) > sigmas * deviation; })) /
               static_cast<double>(many);
    };
    EXPECT_NEAR(beyond(1), 0.3173, 0.0075);  // +- five deviations sqrt(p (1 - p) / n)
    EXPECT_NEAR(beyond(2), 0.0455, 0.0033);
    EXPECT_NEAR(beyond(3), 0.0027, 0.0009);
}

TEST(Initialize, GlorotUniformFillsItsBoundsAndStaysInside) {
    const Floats values = values_of(ParameterInit::glorot_uniform, 1, 0);
    const double limit = std::sqrt(6.0 / (50 + 10));
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    EXPECT_GE(*low, static_cast<float>(-limit));
    EXPECT_LE(*high, static_cast<float>(limit));
    EXPECT_LT(*low, -limit * 0.999);
    EXPECT_GT(*high, limit * 0.999);
    const Moments m = moments_of(values);
    EXPECT_NEAR(m.mean, 0, 0.0029);  // five deviations limit / sqrt(3 n)
    EXPECT_NEAR(m.variance, limit * limit / 3, 0.0005);
    for (int tenth = 0; tenth < 10; ++tenth) {
        const double from = limit * (tenth / 5.0 - 1);
        const auto inside = std::count_if(values.begin(), values.end(), [&](float v) {
            return double{v} >= from && double{v} < from + limit / 5;
        });
        EXPECT_NEAR(static_cast<double>(inside) / many, 0.1, 0.005) << tenth;
    }
}

TEST(Initialize, GlorotCountsBothFans) {
    const auto reach = [](std::int64_t fan_in, std::int64_t fan_out) {
        const Floats v = values_of(ParameterInit::glorot_uniform, 1, 0, many, fan_in, fan_out);
        return *std::max_element(v.begin(), v.end());
    };
    EXPECT_NEAR(reach(4, 20), 0.5, 0.001);  // sqrt(6 / 24)
    EXPECT_NEAR(reach(20, 4), 0.5, 0.001);
    EXPECT_NEAR(reach(3, 3), 1.0, 0.001);  // sqrt(6 / 6)
}

TEST(Initialize, ZerosAndOnesAreThat) {
    EXPECT_EQ(values_of(ParameterInit::zeros, 1, 0, 33), Floats(33, 0.0F));
    EXPECT_EQ(values_of(ParameterInit::ones, 1, 0, 33), Floats(33, 1.0F));
}

}  // namespace
}  // namespace trainscope
