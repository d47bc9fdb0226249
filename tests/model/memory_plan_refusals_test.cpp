// SPDX-License-Identifier: GPL-3.0-or-later
// Settings for which there is no plan.
#include <gtest/gtest.h>

#include <limits>

#include "tests/model/plan_support.h"

namespace trainscope {
namespace {

using ::testing::AllOf;
using testing::graph_of;
using ::testing::HasSubstr;
using testing::PlanCase;
using testing::settings_of;

Error refused(const Graph& graph, const PlanCase& given) {
    const Result<MemoryPlan> plan = plan_memory(graph, settings_of(given));
    if (plan) {
        ADD_FAILURE() << "expected an error, but there is a plan";
        return {};
    }
    return plan.error();
}

VariantChoice chosen(const std::string& op, const std::string& variant) {
    VariantChoice variants;
    variants.set(op, variant);
    return variants;
}

TEST(MemoryPlanRefusals, MicroBatchesBelowOne) {
    for (const std::int64_t n :
         {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
        const Error error = refused(graph_of("simple-cnn"), {.micro_batch = n});
        EXPECT_EQ(error.code, ErrorCode::invalid_argument);
        EXPECT_THAT(error.message, AllOf(HasSubstr("at least 1"), HasSubstr(fmt::format("{}", n))));
    }
}

TEST(MemoryPlanRefusals, MicroBatchesBeyondAnyMemory) {
    for (const ModelSpec& preset : model_presets()) {
        for (const std::int64_t n : {std::int64_t{1} << 48, std::int64_t{1} << 61,
                                     std::numeric_limits<std::int64_t>::max()}) {
            const Error error = refused(graph_of(preset.name), {.micro_batch = n});
            EXPECT_EQ(error.code, ErrorCode::invalid_argument);
            EXPECT_THAT(error.message, HasSubstr(fmt::format("{}", n)));
        }
    }
}

TEST(MemoryPlanRefusals, ManyLargeLayersDoNotOverflowTheSum) {
    std::string layers = R"({"type": "conv2d", "filters": 1024, "kernel": 1})";
    for (int i = 0; i < 900; ++i) {
        layers += R"(, {"type": "batch_norm"})";
    }
    layers += R"(, {"type": "max_pool", "kernel": 1, "stride": 1024})";
    const Graph graph = graph_of(testing::model_of(layers), {1, 16'384, 16'384});
    for (std::int64_t n = 1; n > 0 && n < std::int64_t{1} << 62; n *= 2) {
        const Result<MemoryPlan> plan = plan_memory(graph, settings_of({.micro_batch = n}));
        if (plan) {
            EXPECT_GE(plan->usage.total(), n * 1024 * 16'384 * 16'384 * 4 * 901) << n;
        }
    }
}

TEST(MemoryPlanRefusals, AnUnknownVariantIsToldWithTheNearestAndAllThereAre) {
    const Error error = refused(graph_of("simple-cnn"), {.variants = chosen("conv2d", "direkt")});
    EXPECT_EQ(error.code, ErrorCode::not_found);
    EXPECT_THAT(error.message,
                AllOf(HasSubstr("conv2d"), HasSubstr("'direkt'"),
                      HasSubstr("did you mean 'direct'?"), HasSubstr("known: auto, direct")));
}

TEST(MemoryPlanRefusals, AnUnknownVariantIsRefusedThoughTheModelHasNoSuchLayer) {
    for (const std::string op : {"batch_norm", "optimizer", "softmax_cross_entropy"}) {
        EXPECT_EQ(refused(graph_of("simple-cnn"), {.variants = chosen(op, "magic")}).code,
                  ErrorCode::not_found)
            << op;
    }
}

TEST(MemoryPlanRefusals, AnUnknownOperatorIsToldWithTheNearestAndAllThereAre) {
    const Error error = refused(graph_of("simple-cnn"), {.variants = chosen("conv2", "direct")});
    EXPECT_EQ(error.code, ErrorCode::not_found);
    EXPECT_THAT(error.message, AllOf(HasSubstr("'conv2'"), HasSubstr("did you mean 'conv2d'?"),
                                     HasSubstr("max_pool2d")));
}

TEST(MemoryPlanRefusals, AVariantThatDoesNoneOfTheModelsShapes) {
    const Graph graph = graph_of(testing::model_of(
        R"({"type": "conv2d", "filters": 4, "stride": 2}, {"type": "relu"}, {"type": "max_pool"})"));
    const Error error = refused(graph, {.variants = chosen("conv_relu_pool", "fused_direct")});
    EXPECT_EQ(error.code, ErrorCode::unsupported);
    EXPECT_THAT(error.message, AllOf(HasSubstr("fused_direct"), HasSubstr("stride 1")));
}

TEST(MemoryPlanRefusals, NoThreadsOrAbsurdlyManySlots) {
    EXPECT_THAT(refused(graph_of("simple-cnn"), {.threads = 0}).message, HasSubstr("threads"));
    EXPECT_THAT(refused(graph_of("simple-cnn"), {.input_slots = -1}).message, HasSubstr("slots"));
    EXPECT_THAT(refused(graph_of("simple-cnn"), {.input_slots = 1 << 30}).message,
                HasSubstr("slots"));
}

}  // namespace
}  // namespace trainscope
