// SPDX-License-Identifier: GPL-3.0-or-later
// Whole training runs on the CPU against float64 results: every run of the shared folder, by every
// variant of every operator.
#include <gtest/gtest.h>

#include "tests/support/shared.h"
#include "tests/train/golden_runs.h"

namespace trainscope {
namespace {

using namespace testing;

class TrainGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(TrainGolden, EveryRunIsReproducedByEveryVariant) {
    TRAINSCOPE_NEEDS_SHARED();
    expect_every_variant_reproduces(GetParam(), cpu_device());
}

INSTANTIATE_TEST_SUITE_P(Of, TrainGolden, ::testing::ValuesIn(operators_on(DeviceKind::cpu)),
                         [](const auto& test) { return test.param; });

TEST(TrainGolden, EveryRunIsReproducedByTheVariantsThatAutoTakesOnTwoThreads) {
    TRAINSCOPE_NEEDS_SHARED();
    ASSERT_FALSE(golden_runs().empty());
    for (const GoldenRun& run : golden_runs()) {
        SCOPED_TRACE(run.name);
        TrainerConfig config = run.config;
        config.threads = 2;
        config.variants.set("optimizer", "fused");
        EXPECT_TRUE(reproduce(run, config, "optimizer"));
    }
}

}  // namespace
}  // namespace trainscope
