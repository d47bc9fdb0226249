// SPDX-License-Identifier: GPL-3.0-or-later
// The largest micro-batch for a budget: it fits, and the next one does not.
#include <gtest/gtest.h>

#include <limits>

#include "tests/model/plan_support.h"

namespace trainscope {
namespace {

using testing::graph_of;
using testing::settings_of;
using testing::simple_variants;

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

std::int64_t total(const Graph& graph, PlanSettings settings, std::int64_t n) {
    settings.micro_batch = n;
    return plan_memory(graph, settings).value().usage.total();
}

TEST(LargestMicroBatch, FitsAndTheNextDoesNot) {
    for (const ModelSpec& preset : model_presets()) {
        const Graph graph = graph_of(preset.name, {3, 32, 32});
        for (const std::string_view fused : {"separate", "fused_direct", "auto"}) {
            const PlanSettings settings =
                settings_of({.variants = simple_variants(fused), .threads = 4});
            for (const std::int64_t budget : {8 * mebibyte, 100 * mebibyte, 7'000 * mebibyte}) {
                const std::int64_t n = largest_micro_batch(graph, settings, budget, 1'000'000);
                ASSERT_GT(n, 0);
                ASSERT_LT(n, 1'000'000);
                EXPECT_LE(total(graph, settings, n), budget) << preset.name << " " << fused;
                EXPECT_GT(total(graph, settings, n + 1), budget) << preset.name << " " << fused;
            }
        }
    }
}

TEST(LargestMicroBatch, IsTheLargestOfAllThatFit) {
    // Every kernel of this build by itself, since workspaces need not grow evenly.
    const Graph graph = graph_of("bn-cnn");
    for (const std::string fused : {"separate", "auto"}) {
        VariantChoice variants;
        variants.set("conv_relu_pool", fused);
        const PlanSettings settings = settings_of({.variants = variants, .threads = 3});
        for (const std::int64_t budget : {2 * mebibyte, 5 * mebibyte, 20 * mebibyte}) {
            std::int64_t largest = 0;
            for (std::int64_t n = 1; n <= 200; ++n) {
                largest = total(graph, settings, n) <= budget ? n : largest;
            }
            EXPECT_EQ(largest_micro_batch(graph, settings, budget, 200), largest) << budget;
        }
    }
}

TEST(LargestMicroBatch, MeetsTheBudgetToTheByte) {
    const Graph graph = graph_of("simple-cnn");
    const PlanSettings settings = settings_of({.variants = simple_variants("separate")});
    const std::int64_t exact = total(graph, settings, 100);
    EXPECT_EQ(largest_micro_batch(graph, settings, exact, 1000), 100);
    EXPECT_EQ(largest_micro_batch(graph, settings, exact - 1, 1000), 99);
}

TEST(LargestMicroBatch, StaysWithinTheUpperBound) {
    const Graph graph = graph_of("simple-cnn");
    EXPECT_EQ(largest_micro_batch(graph, settings_of({}), 1000 * mebibyte, 64), 64);
    EXPECT_EQ(largest_micro_batch(graph, settings_of({}), 1000 * mebibyte, 1), 1);
    EXPECT_EQ(largest_micro_batch(graph, settings_of({}), 1000 * mebibyte, 0), 0);
    EXPECT_EQ(largest_micro_batch(graph, settings_of({}), 1000 * mebibyte, -5), 0);
}

TEST(LargestMicroBatch, HasNoUpperBoundThatOverflows) {
    const Graph graph = graph_of("simple-cnn");
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const std::int64_t n = largest_micro_batch(graph, settings_of({}), 64 * mebibyte, most);
    EXPECT_GT(n, 0);
    EXPECT_EQ(n, largest_micro_batch(graph, settings_of({}), 64 * mebibyte, 1'000'000));
    EXPECT_GT(largest_micro_batch(graph, settings_of({}), most, most), 1'000'000);
}

TEST(LargestMicroBatch, IsZeroWhereNothingFits) {
    const Graph graph = graph_of("simple-cnn");
    EXPECT_EQ(largest_micro_batch(graph, settings_of({}), 1000, 64), 0);
    EXPECT_EQ(largest_micro_batch(graph, settings_of({}), 0, 64), 0);
    EXPECT_EQ(largest_micro_batch(graph, settings_of({}), -1, 64), 0);
}

}  // namespace
}  // namespace trainscope
