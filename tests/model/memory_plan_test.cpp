// SPDX-License-Identifier: GPL-3.0-or-later
// What a plan says it costs: to the byte for a case computed by hand, and in the laws that hold for
// every model.
#include "engine/model/memory_plan.h"

#include <gtest/gtest.h>

#include "tests/model/plan_support.h"

namespace trainscope {
namespace {

using testing::graph_of;
using testing::plan_of;
using testing::simple_variants;

std::int64_t bytes_named(const MemoryPlan& plan, std::string_view name) {
    for (const PlannedBlock& block : plan.blocks) {
        if (block.name == name) {
            return block.bytes;
        }
    }
    ADD_FAILURE() << "no block " << name;
    return -1;
}

TEST(MemoryPlan, OfSimpleCnnOnMnistIsWhatComesOutByHand) {
    const MemoryPlan plan =
        plan_of(graph_of("simple-cnn"), {.variants = simple_variants("separate")});
    // 31,530 floats are 126,120 bytes, rounded up to 1,971 * 64.
    EXPECT_EQ(bytes_named(plan, "parameters"), 126'144);
    EXPECT_EQ(bytes_named(plan, "gradients"), 126'144);
    EXPECT_EQ(bytes_named(plan, "optimizer state 1"), 126'144);
    EXPECT_EQ(bytes_named(plan, "conv1 output"), 1'605'632);  // 32 * 16 * 28 * 28 * 4
    EXPECT_EQ(bytes_named(plan, "pool1 output"), 401'408);    // 32 * 16 * 14 * 14 * 4
    EXPECT_EQ(bytes_named(plan, "pool1 winners"), 100'352);   // a byte each
    EXPECT_EQ(bytes_named(plan, "fc1 output"), 1'280);        // 32 * 10 * 4
    EXPECT_EQ(bytes_named(plan, "activation gradients 1"), 1'605'632);
    EXPECT_EQ(bytes_named(plan, "activation gradients 2"), 401'408);
    EXPECT_EQ(bytes_named(plan, "batch 1 samples"), 100'352);  // 32 * 28 * 28 * 4
    EXPECT_EQ(bytes_named(plan, "batch 1 targets"), 128);      // 32 labels of 4 bytes
    EXPECT_EQ(plan.blocks.size(), 3u + 6u + 1u + 3u * 2u);
    EXPECT_EQ(plan.usage[MemoryCategory::parameters], 126'144);
    EXPECT_EQ(plan.usage[MemoryCategory::gradients], 126'144);
    EXPECT_EQ(plan.usage[MemoryCategory::optimizer_state], 126'144);
    EXPECT_EQ(plan.usage[MemoryCategory::activations],
              1'605'632 + 401'408 + 100'352 + 1'280 + 1'605'632 + 401'408);
    EXPECT_EQ(plan.usage[MemoryCategory::workspace], 64);  // the loss, the hits and the norm
    EXPECT_EQ(plan.usage[MemoryCategory::input], 3 * (100'352 + 128));
}

TEST(MemoryPlan, UsageIsTheSumOfTheBlocksByCategory) {
    for (const ModelSpec& preset : model_presets()) {
        for (const std::int64_t n : {1, 7, 32, 511}) {
            const MemoryPlan plan = plan_of(graph_of(preset.name), {.micro_batch = n});
            MemoryUsage sum;
            for (const PlannedBlock& block : plan.blocks) {
                EXPECT_GT(block.bytes, 0) << block.name;
                EXPECT_EQ(block.bytes % 64, 0) << block.name;
                sum[block.category] += block.bytes;
            }
            EXPECT_EQ(sum, plan.usage) << preset.name << " " << n;
        }
    }
}

TEST(MemoryPlan, EverythingButWorkspaceIsAffineInTheMicroBatch) {
    for (const ModelSpec& preset : model_presets()) {
        for (const std::string_view fused : {"separate", "fused_direct"}) {
            const auto without_workspace = [&](std::int64_t n) {
                MemoryUsage usage = plan_of(graph_of(preset.name),
                                            {.micro_batch = n, .variants = simple_variants(fused)})
                                        .usage;
                usage[MemoryCategory::workspace] = 0;
                return usage;
            };
            // Of multiples of 64 samples no tensor of a batch needs rounding.
            const MemoryUsage at_64 = without_workspace(64);
            const MemoryUsage at_128 = without_workspace(128);
            const MemoryUsage at_640 = without_workspace(640);
            for (const MemoryCategory category : all_memory_categories) {
                const std::int64_t slope = at_128[category] - at_64[category];
                EXPECT_EQ(at_640[category], at_64[category] + 9 * slope)
                    << preset.name << " " << name_of(category);
            }
            EXPECT_EQ(at_128[MemoryCategory::parameters], at_64[MemoryCategory::parameters]);
            EXPECT_GT(at_128[MemoryCategory::activations], at_64[MemoryCategory::activations]);
        }
    }
}

TEST(MemoryPlan, OptimizersKeepNoneOneOrTwoStatesAsLargeAsTheParameters) {
    const Graph graph = graph_of("bn-cnn");
    const std::vector<std::pair<OptimizerKind, int>> cases = {{OptimizerKind::sgd, 0},
                                                              {OptimizerKind::momentum, 1},
                                                              {OptimizerKind::adam, 2},
                                                              {OptimizerKind::adamw, 2}};
    for (const auto& [kind, slots] : cases) {
        const MemoryPlan plan = plan_of(graph, {.optimizer = kind});
        // 20,538 floats, rounded up to 64 bytes: 1,284 * 64.
        EXPECT_EQ(plan.usage[MemoryCategory::optimizer_state], slots * 82'176) << name_of(kind);
        EXPECT_EQ(plan.state0_block >= 0, slots > 0) << name_of(kind);
        EXPECT_EQ(plan.state1_block >= 0, slots > 1) << name_of(kind);
        EXPECT_EQ(plan.usage[MemoryCategory::gradients], 82'176);
    }
}

TEST(MemoryPlan, RunningStatisticsAreParametersOfTheirOwnBlock) {
    const MemoryPlan bn = plan_of(graph_of("bn-cnn"), {});
    ASSERT_GE(bn.buffers_block, 0);
    const PlannedBlock& block = bn.blocks[static_cast<std::size_t>(bn.buffers_block)];
    EXPECT_EQ(block.category, MemoryCategory::parameters);
    EXPECT_EQ(block.bytes, 384);  // (16 + 32) * 2 floats
    EXPECT_EQ(plan_of(graph_of("simple-cnn"), {}).buffers_block, -1);
}

TEST(MemoryPlan, EverySlotOfTheLoaderHasSamplesAndTargets) {
    for (const int slots : {1, 3, 5}) {
        const MemoryPlan plan = plan_of(graph_of("simple-cnn"), {.input_slots = slots});
        const auto count = static_cast<std::size_t>(slots);
        ASSERT_EQ(plan.input_blocks.size(), count);
        ASSERT_EQ(plan.target_blocks.size(), count);
        EXPECT_EQ(plan.usage[MemoryCategory::input], slots * (100'352 + 128));
        for (std::size_t slot = 0; slot < count; ++slot) {
            EXPECT_GE(plan.input_blocks[slot], 0);
            EXPECT_GE(plan.target_blocks[slot], 0);
        }
    }
}

TEST(MemoryPlan, SoftTargetsTakeAFloatAClass) {
    const MemoryPlan plan = plan_of(graph_of("simple-cnn"), {.soft_targets = true});
    EXPECT_EQ(bytes_named(plan, "batch 1 targets"), 32 * 10 * 4);
    EXPECT_EQ(plan.usage[MemoryCategory::input], 3 * (100'352 + 1'280));
}

TEST(MemoryPlan, OneWorkspaceServesAllStages) {
    const MemoryPlan plan = plan_of(graph_of("simple-cnn"),
                                    {.variants = simple_variants("fused_direct"), .threads = 2});
    int workspaces = 0;
    for (const PlannedBlock& block : plan.blocks) {
        workspaces += block.category == MemoryCategory::workspace ? 1 : 0;
    }
    EXPECT_EQ(workspaces, 2)
        << "the fused kernel needs scratch for each thread, beside the step's results";
    EXPECT_GE(plan.workspace_block, 0);
    EXPECT_EQ(
        plan_of(graph_of("simple-cnn"), {.variants = simple_variants("separate")}).workspace_block,
        -1)
        << "the plainest kernels need none";
}

}  // namespace
}  // namespace trainscope
