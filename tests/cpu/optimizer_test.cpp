// SPDX-License-Identifier: GPL-3.0-or-later
// Every optimizer variant of the CPU against the update rules written out in double.
#include "engine/ops/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/core/random.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope {
namespace {

struct Weights {
    std::vector<double> w, s0, s1;
};

// One step as the papers write it.
void step_in_double(const OptimizerSettings& s, double t, const std::vector<double>& g,
                    Weights& at) {
    const double rate = s.learning_rate;
    const double b1 = s.beta1;
    const double b2 = s.beta2;
    for (std::size_t i = 0; i < g.size(); ++i) {
        switch (s.kind) {
            case OptimizerKind::sgd:
                at.w[i] -= rate * g[i];
                break;
            case OptimizerKind::momentum:
                at.s0[i] = double{s.momentum} * at.s0[i] + g[i];
                at.w[i] -= rate * at.s0[i];
                break;
            case OptimizerKind::adamw:
                at.w[i] -= rate * double{s.weight_decay} * at.w[i];
                [[fallthrough]];
            case OptimizerKind::adam: {
                at.s0[i] = b1 * at.s0[i] + (1 - b1) * g[i];
                at.s1[i] = b2 * at.s1[i] + (1 - b2) * g[i] * g[i];
                const double m = at.s0[i] / (1 - std::pow(b1, t));
                const double v = at.s1[i] / (1 - std::pow(b2, t));
                at.w[i] -= rate * m / (std::sqrt(v) + double{s.eps});
                break;
            }
        }
    }
}

struct Case {
    OptimizerKind kind;
    std::int64_t parameters;
    int threads;
};

class OptimizerTest : public ::testing::TestWithParam<Case> {};

TEST_P(OptimizerTest, FollowsTheRuleOverSeveralStepsAndGivesTheNorm) {
    const auto [kind, parameters, threads] = GetParam();
    const auto size = static_cast<std::size_t>(parameters);
    const double samples = 48;
    OptimizerSettings settings;
    settings.kind = kind;
    settings.learning_rate = 0.01F;
    for (const KernelVariant<OptimizerUpdate>& variant :
         variants_of<OptimizerUpdate>(DeviceKind::cpu)) {
        SCOPED_TRACE(variant.name);
        const auto kernel = variant.make({.parameters = parameters}, {.threads = threads});
        Random random(7);
        std::vector<float> w(size);
        std::vector<float> s0(size);
        std::vector<float> s1(size);
        Weights expected{std::vector<double>(size), std::vector<double>(size),
                         std::vector<double>(size)};
        for (std::size_t i = 0; i < size; ++i) {
            w[i] = static_cast<float>(random.normal());
            expected.w[i] = w[i];
        }
        for (std::int64_t step = 1; step <= 5; ++step) {
            std::vector<float> sums(size);
            std::vector<double> g(size);
            double norm = 0;
            for (std::size_t i = 0; i < size; ++i) {
                sums[i] = static_cast<float>(random.normal() * samples);
                g[i] = double{sums[i]} / samples;
                norm += g[i] * g[i];
            }
            double got = -1;
            kernel->run({.settings = settings,
                         .step = step,
                         .samples = samples,
                         .parameters = w.data(),
                         .gradients = sums.data(),
                         .state0 = state_slots(kind) > 0 ? s0.data() : nullptr,
                         .state1 = state_slots(kind) > 1 ? s1.data() : nullptr,
                         .squared_norm = &got});
            step_in_double(settings, static_cast<double>(step), g, expected);
            EXPECT_NEAR(got, norm, 1e-10 * norm);
        }
        for (std::size_t i = 0; i < size; ++i) {
            ASSERT_NEAR(w[i], expected.w[i], 2e-6 * (1 + std::abs(expected.w[i]))) << i;
        }
    }
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const OptimizerKind kind : all_optimizers) {
        for (const std::int64_t parameters : {1, 31, 33, 4099, 10007}) {
            all.push_back({kind, parameters, 1});
            all.push_back({kind, parameters, 3});
        }
    }
    return all;
}
INSTANTIATE_TEST_SUITE_P(Shapes, OptimizerTest, ::testing::ValuesIn(cases()), [](const auto& info) {
    return std::string(name_of(info.param.kind)) + "_" + std::to_string(info.param.parameters) +
           "_threads_" + std::to_string(info.param.threads);
});

TEST(OptimizerFusedTest, ANormBeyondTheRangeOfFloatSquaresIsStillFinite) {
    const auto variant = choose_variant<OptimizerUpdate>(DeviceKind::cpu, "fused", {2});
    ASSERT_TRUE(variant);
    const auto kernel = (*variant)->make({2}, {.threads = 1});
    float w[] = {0, 0};
    const float g[] = {3e30F, 4e30F};
    OptimizerSettings settings;
    settings.kind = OptimizerKind::sgd;
    double norm = -1;
    kernel->run({.settings = settings,
                 .step = 1,
                 .samples = 1,
                 .parameters = w,
                 .gradients = g,
                 .state0 = nullptr,
                 .state1 = nullptr,
                 .squared_norm = &norm});
    EXPECT_NEAR(std::sqrt(norm), 5e30, 1e24);
}

}  // namespace
}  // namespace trainscope
