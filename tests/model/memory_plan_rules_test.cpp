// SPDX-License-Identifier: GPL-3.0-or-later
// The rules by which stages share blocks, as memory_plan.h states them.
#include <gtest/gtest.h>

#include <set>

#include "tests/model/plan_support.h"

namespace trainscope {
namespace {

using testing::graph_of;
using testing::plan_of;
using testing::simple_variants;

const PlannedStage& stage_of(const MemoryPlan& plan, const Graph& graph, std::string_view node) {
    for (const PlannedStage& stage : plan.stages) {
        if (graph.nodes[stage.first_node].name == node) {
            return stage;
        }
    }
    ADD_FAILURE() << "no stage starts with " << node;
    return plan.stages.front();
}

std::int64_t bytes_of(const MemoryPlan& plan, std::int64_t block) {
    return block < 0 ? 0 : plan.blocks[static_cast<std::size_t>(block)].bytes;
}

TEST(MemoryPlanRules, StagesCoverAllNodesInOrder) {
    for (const ModelSpec& preset : model_presets()) {
        for (const std::string_view fused : {"separate", "fused_direct"}) {
            const Graph graph = graph_of(preset.name);
            const MemoryPlan plan = plan_of(graph, {.variants = simple_variants(fused)});
            std::size_t next = 0;
            for (const PlannedStage& stage : plan.stages) {
                EXPECT_EQ(stage.first_node, next);
                EXPECT_EQ(stage.node_count,
                          stage.fused == nullptr ? 1u : stage.fused->parts.size());
                next += stage.node_count;
            }
            EXPECT_EQ(next, graph.nodes.size());
        }
    }
}

TEST(MemoryPlanRules, ReluWorksInPlace) {
    const Graph graph = graph_of("bn-cnn");
    const MemoryPlan plan = plan_of(graph, {.variants = simple_variants("separate")});
    EXPECT_EQ(stage_of(plan, graph, "relu1").output_block, -1);
    EXPECT_EQ(stage_of(plan, graph, "relu2").output_block, -1);
}

TEST(MemoryPlanRules, ReluOnTheBatchItselfHasABlockOfItsOwn) {
    const Graph graph = graph_of(testing::model_of(R"({"type": "relu"}, {"type": "relu"})"));
    const MemoryPlan plan = plan_of(graph, {});
    EXPECT_EQ(bytes_of(plan, stage_of(plan, graph, "relu1").output_block), 32 * 784 * 4);
    EXPECT_EQ(stage_of(plan, graph, "relu2").output_block, -1);
    // Also behind a view of the batch.
    const Graph flat = graph_of(testing::exact_model(
        R"({"type": "flatten"}, {"type": "relu"}, {"type": "dense", "units": "classes"},
           {"type": "softmax_cross_entropy"})"));
    const MemoryPlan flat_plan = plan_of(flat, {});
    EXPECT_EQ(bytes_of(flat_plan, stage_of(flat_plan, flat, "relu1").output_block), 32 * 784 * 4);
}

TEST(MemoryPlanRules, BatchNormAndPoolWriteBlocksOfTheirOwn) {
    const Graph graph = graph_of("bn-cnn");
    const MemoryPlan plan = plan_of(graph, {.variants = simple_variants("separate")});
    const PlannedStage& norm = stage_of(plan, graph, "bn1");
    EXPECT_EQ(bytes_of(plan, norm.output_block), 32 * 16 * 784 * 4);
    EXPECT_NE(norm.output_block, stage_of(plan, graph, "conv1").output_block);
    EXPECT_EQ(bytes_of(plan, norm.saved_block), 128) << "mean and invstd of 16 channels";
    EXPECT_EQ(norm.index_block, -1);
    const PlannedStage& pool = stage_of(plan, graph, "pool1");
    EXPECT_EQ(bytes_of(plan, pool.output_block), 32 * 16 * 196 * 4);
    EXPECT_EQ(bytes_of(plan, pool.index_block), 32 * 16 * 196);
    EXPECT_EQ(pool.saved_block, -1);
}

TEST(MemoryPlanRules, BatchNormsStatisticsDoNotGrowWithTheBatch) {
    const Graph graph = graph_of("bn-cnn");
    for (const std::int64_t n : {2, 300}) {
        VariantChoice variants;
        variants.set("batch_norm_relu", "separate");
        const MemoryPlan apart = plan_of(graph, {.micro_batch = n, .variants = variants});
        EXPECT_EQ(bytes_of(apart, stage_of(apart, graph, "bn2").saved_block), 2 * 32 * 4);
        variants.set("batch_norm_relu", "fused_relu");
        const MemoryPlan fused = plan_of(graph, {.micro_batch = n, .variants = variants});
        EXPECT_EQ(bytes_of(fused, stage_of(fused, graph, "bn2").saved_block), 3 * 32 * 4)
            << "what the float of the mean cuts off, too";
    }
}

TEST(MemoryPlanRules, FlattenAndTheLossAreViews) {
    const Graph graph = graph_of("simple-cnn");
    const MemoryPlan plan = plan_of(graph, {});
    for (const std::string_view view : {"flatten1", "loss"}) {
        const PlannedStage& stage = stage_of(plan, graph, view);
        EXPECT_EQ(stage.output_block, -1) << view;
        EXPECT_EQ(stage.index_block, -1) << view;
        EXPECT_EQ(stage.saved_block, -1) << view;
    }
}

TEST(MemoryPlanRules, AFusedStageHasNoConvolutionOutput) {
    const Graph graph = graph_of("simple-cnn");
    const MemoryPlan plan = plan_of(graph, {.variants = simple_variants("fused_direct")});
    const PlannedStage& stage = plan.stages.front();
    EXPECT_NE(stage.fused, nullptr);
    EXPECT_EQ(bytes_of(plan, stage.output_block), 32 * 16 * 196 * 4) << "the pooled output";
    EXPECT_EQ(bytes_of(plan, stage.index_block), 32 * 16 * 196);
    for (const PlannedBlock& block : plan.blocks) {
        EXPECT_NE(block.name, "conv1 output");
        if (block.category == MemoryCategory::activations) {
            EXPECT_LE(block.bytes, 32 * 16 * 196 * 4) << block.name;
        }
    }
}

TEST(MemoryPlanRules, AConvolutionChosenByNameIsNotFusedAwayUnasked) {
    const Graph graph = graph_of("simple-cnn");
    VariantChoice variants;
    EXPECT_NE(plan_of(graph, {}).stages.front().fused, nullptr);
    variants.set("conv2d", "direct");
    EXPECT_EQ(plan_of(graph, {.variants = variants}).stages.front().fused, nullptr);
    variants.set("conv_relu_pool", "fused_direct");
    EXPECT_NE(plan_of(graph, {.variants = variants}).stages.front().fused, nullptr);
}

TEST(MemoryPlanRules, OnlyWhatFollowsInARowIsFused) {
    // A batch norm lies between convolution and ReLU, a pooling between batch norm and ReLU.
    const Graph graph = graph_of(testing::model_of(
        R"({"type": "conv2d", "filters": 4}, {"type": "batch_norm"}, {"type": "max_pool"},
           {"type": "relu"})"));
    for (const PlannedStage& stage : plan_of(graph, {}).stages) {
        EXPECT_EQ(stage.fused, nullptr);
    }
}

TEST(MemoryPlanRules, ABatchNormAndItsReluAreOneStageThatWritesOnce) {
    const Graph graph = graph_of("bn-cnn");
    VariantChoice variants;
    variants.set("batch_norm_relu", "fused_relu");
    const MemoryPlan plan = plan_of(graph, {.variants = variants});
    const PlannedStage& norm = stage_of(plan, graph, "bn1");
    ASSERT_NE(norm.fused, nullptr);
    EXPECT_EQ(norm.fused->op, "batch_norm_relu");
    EXPECT_EQ(norm.node_count, 2u);
    EXPECT_EQ(bytes_of(plan, norm.output_block), 32 * 16 * 784 * 4);
    EXPECT_EQ(norm.index_block, -1);
    // Gradients go through it in place, as through either of its parts.
    EXPECT_EQ(norm.gradient_block, stage_of(plan, graph, "conv1").gradient_block);
    for (const PlannedStage& stage : plan.stages) {
        EXPECT_NE(graph.nodes[stage.first_node].type, "relu");
    }
    variants.set("batch_norm_relu", "separate");
    const MemoryPlan apart = plan_of(graph, {.variants = variants});
    EXPECT_EQ(stage_of(apart, graph, "bn1").fused, nullptr);
    EXPECT_EQ(apart.stages.size(), plan.stages.size() + 2);
}

TEST(MemoryPlanRules, ABatchNormChosenByNameIsNotFusedAwayUnasked) {
    const Graph graph = graph_of("bn-cnn");
    const auto fused = [&](const VariantChoice& variants) {
        const MemoryPlan plan = plan_of(graph, {.variants = variants});
        return stage_of(plan, graph, "bn1").fused != nullptr;
    };
    VariantChoice variants;
    EXPECT_TRUE(fused(variants));
    variants.set("conv2d", "direct");
    EXPECT_TRUE(fused(variants)) << "another operator's choice";
    variants.set("batch_norm", "naive");
    EXPECT_FALSE(fused(variants));
    variants.set("batch_norm_relu", "fused_relu");
    EXPECT_TRUE(fused(variants));
}

TEST(MemoryPlanRules, ADenseLayerAndItsReluAreOneStageThatWritesOnce) {
    const Graph graph = graph_of(testing::exact_model(
        R"({"type": "flatten"}, {"type": "dense", "units": 50}, {"type": "relu"},
           {"type": "dense", "units": "classes"}, {"type": "softmax_cross_entropy"})"));
    VariantChoice variants;
    const MemoryPlan apart = plan_of(graph, {.variants = variants});
    EXPECT_EQ(stage_of(apart, graph, "fc1").fused, nullptr) << "only by its name";
    variants.set("dense_relu", "blocked");
    const MemoryPlan plan = plan_of(graph, {.variants = variants});
    const PlannedStage& dense = stage_of(plan, graph, "fc1");
    ASSERT_NE(dense.fused, nullptr);
    EXPECT_EQ(dense.fused->op, "dense_relu");
    EXPECT_EQ(dense.node_count, 2u);
    EXPECT_EQ(bytes_of(plan, dense.output_block), 32 * 50 * 4);
    EXPECT_EQ(dense.saved_block, -1);
    EXPECT_EQ(stage_of(plan, graph, "fc2").fused, nullptr) << "no ReLU behind it";
    EXPECT_EQ(plan.usage, apart.usage) << "apart, ReLU works in place";
    EXPECT_EQ(apart.stages.size(), plan.stages.size() + 1);
}

TEST(MemoryPlanRules, BothKindsOfFusedStagesHaveTheirPlacesInOneModel) {
    const Graph graph = graph_of(testing::model_of(
        R"({"type": "conv2d", "filters": 4}, {"type": "relu"}, {"type": "max_pool"},
           {"type": "conv2d", "filters": 4}, {"type": "batch_norm"}, {"type": "relu"})"));
    const MemoryPlan plan = plan_of(graph, {});
    std::vector<std::string> fused;
    for (const PlannedStage& stage : plan.stages) {
        fused.emplace_back(stage.fused == nullptr ? "" : stage.fused->op);
    }
    EXPECT_EQ(fused,
              (std::vector<std::string>{"conv_relu_pool", "", "batch_norm_relu", "", "", ""}))
        << "then flatten, dense and the loss";
}

TEST(MemoryPlanRules, AStageThatTheFusedKernelCannotDoRunsSeparately) {
    const std::string first = R"({"type": "conv2d", "filters": 4, "stride": 2}, {"type": "relu"},
                                 {"type": "max_pool"}, )";
    const std::string second =
        R"({"type": "conv2d", "filters": 4}, {"type": "relu"}, {"type": "max_pool"})";
    const Graph graph = graph_of(testing::model_of(first + second));
    const MemoryPlan plan = plan_of(graph, {.variants = simple_variants("fused_direct")});
    EXPECT_EQ(stage_of(plan, graph, "conv1").fused, nullptr);
    EXPECT_NE(stage_of(plan, graph, "conv2").fused, nullptr);
}

TEST(MemoryPlanRules, TwoGradientBlocksTakeTurns) {
    std::vector<Graph> graphs;
    for (const ModelSpec& preset : model_presets()) {
        graphs.push_back(graph_of(preset.name));
    }
    for (const Graph& graph : graphs) {
        for (const std::string_view fused : {"separate", "fused_direct"}) {
            SCOPED_TRACE(fmt::format("{} {}", graph.name, fused));
            const MemoryPlan plan = plan_of(graph, {.variants = simple_variants(fused)});
            std::set<std::int64_t> used;
            for (std::size_t i = 0; i + 1 < plan.stages.size(); ++i) {
                const PlannedStage& stage = plan.stages[i];
                ASSERT_GE(stage.gradient_block, 0);
                used.insert(stage.gradient_block);
                const Node& last = graph.nodes[stage.first_node + stage.node_count - 1];
                EXPECT_GE(bytes_of(plan, stage.gradient_block), 32 * last.output.elements() * 4);
                const std::string& next = graph.nodes[plan.stages[i + 1].first_node].type;
                if (next == "softmax_cross_entropy") {
                    continue;  // the gradient of the logits is this one
                }
                const bool hands_on = next == "relu" || next == "batch_norm" || next == "flatten";
                EXPECT_EQ(stage.gradient_block == plan.stages[i + 1].gradient_block, hands_on)
                    << graph.nodes[stage.first_node].name << " before " << next;
            }
            EXPECT_EQ(used.size(), 2u);
            for (const std::int64_t block : used) {
                EXPECT_EQ(plan.blocks[static_cast<std::size_t>(block)].category,
                          MemoryCategory::activations);
            }
        }
    }
}

TEST(MemoryPlanRules, StagesBeforeTheFirstParametersHaveNoGradient) {
    const Graph graph = graph_of(testing::model_of(R"({"type": "max_pool"}, {"type": "relu"},
                                      {"type": "conv2d", "filters": 2}, {"type": "relu"})"));
    const MemoryPlan plan = plan_of(graph, {});
    EXPECT_EQ(stage_of(plan, graph, "pool1").gradient_block, -1);
    EXPECT_EQ(stage_of(plan, graph, "relu1").gradient_block, -1);
    EXPECT_GE(stage_of(plan, graph, "conv1").gradient_block, 0);
    EXPECT_GE(stage_of(plan, graph, "relu2").gradient_block, 0);
}

TEST(MemoryPlanRules, NoTwoStagesWriteTheSameBlock) {
    for (const ModelSpec& preset : model_presets()) {
        const MemoryPlan plan = plan_of(graph_of(preset.name), {});
        std::set<std::int64_t> blocks;
        for (const PlannedStage& stage : plan.stages) {
            for (const std::int64_t block :
                 {stage.output_block, stage.index_block, stage.saved_block}) {
                EXPECT_TRUE(block < 0 || blocks.insert(block).second) << preset.name;
            }
        }
    }
}

}  // namespace
}  // namespace trainscope
