// SPDX-License-Identifier: GPL-3.0-or-later
// Plans in short for the tests of memory.
#pragma once

#include <string>
#include <string_view>

#include "engine/model/memory_plan.h"
#include "tests/model/refusal.h"

namespace trainscope::testing {

inline Graph graph_of(std::string_view name, const Shape& input = {1, 28, 28}) {
    return build_graph(preset(name), input, 10).value();
}

inline Graph graph_of(const ModelSpec& spec, const Shape& input = {1, 28, 28}) {
    return build_graph(spec, input, 10).value();
}

// The first rungs, which need no workspace, and the given way of conv2d, relu, max_pool; so that
// what `auto` picks today does not matter.
inline VariantChoice simple_variants(std::string_view conv_relu_pool) {
    VariantChoice variants;
    variants.set("conv_relu_pool", std::string(conv_relu_pool));
    variants.set("conv2d", "direct");
    variants.set("batch_norm", "naive");
    variants.set("dense", "naive");
    return variants;
}

// Settings beside the defaults by name: {.micro_batch = 5}.
struct PlanCase {
    std::int64_t micro_batch = 32;
    VariantChoice variants = {};
    OptimizerKind optimizer = OptimizerKind::momentum;
    int threads = 1;
    bool soft_targets = false;
    int input_slots = 3;
};

inline PlanSettings settings_of(const PlanCase& given) {
    PlanSettings settings;
    settings.micro_batch = given.micro_batch;
    settings.variants = given.variants;
    settings.optimizer = given.optimizer;
    settings.threads = given.threads;
    settings.soft_targets = given.soft_targets;
    settings.input_slots = given.input_slots;
    return settings;
}

inline MemoryPlan plan_of(const Graph& graph, const PlanCase& given) {
    return plan_memory(graph, settings_of(given)).value();
}

}  // namespace trainscope::testing
