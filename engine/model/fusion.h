// SPDX-License-Identifier: GPL-3.0-or-later
// Where in a model a fused operator can stand for several nodes, and what runs a stage of the plan.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/model/graph.h"
#include "engine/model/memory_plan.h"
#include "engine/model/node_shapes.h"
#include "engine/ops/fused_operators.h"

namespace trainscope {

// Whether the nodes from `first` on are what it fuses. A model is a chain: each of them is read by
// the next alone, so that what lies between them need not be written.
bool can_stand_at(const FusedOperator& fused, const Graph& graph, std::size_t first);

// Calls visit.of<Op>(shape_of) with the fused operator and the shape that it has for n samples.
template <class Visit>
auto with_fused_operator(const FusedOperator& fused, const Graph& graph, std::size_t first,
                         const Visit& visit) {
    const Node* const nodes = &graph.nodes[first];
    if (fused.op == BatchNormRelu::name) {
        return visit.template of<BatchNormRelu>(
            [nodes](std::int64_t n) { return batch_norm_shape(nodes[0], n); });
    }
    if (fused.op == DenseRelu::name) {
        return visit.template of<DenseRelu>(
            [nodes](std::int64_t n) { return dense_shape(nodes[0], n); });
    }
    return visit.template of<ConvReluPool>([nodes](std::int64_t n) {
        return ConvReluPool::Shape{.conv = conv2d_shape(nodes[0], n),
                                   .pool = max_pool2d_shape(nodes[2], n)};
    });
}

// The same with the operator that runs a stage, fused or not; visit.view() where there is none
// (flatten, and the loss, which has a pass of its own).
template <class Visit>
auto with_operator(const Graph& graph, const PlannedStage& stage, const Visit& visit) {
    if (stage.fused != nullptr) {
        return with_fused_operator(*stage.fused, graph, stage.first_node, visit);
    }
    const Node& node = graph.nodes[stage.first_node];
    if (std::holds_alternative<Conv2dSpec>(node.spec)) {
        return visit.template of<Conv2d>([&](std::int64_t n) { return conv2d_shape(node, n); });
    }
    if (std::holds_alternative<BatchNormSpec>(node.spec)) {
        return visit.template of<BatchNorm>(
            [&](std::int64_t n) { return batch_norm_shape(node, n); });
    }
    if (std::holds_alternative<DenseSpec>(node.spec)) {
        return visit.template of<Dense>([&](std::int64_t n) { return dense_shape(node, n); });
    }
    if (std::holds_alternative<ReluSpec>(node.spec)) {
        return visit.template of<Relu>([&](std::int64_t n) { return relu_shape(node, n); });
    }
    if (std::holds_alternative<MaxPoolSpec>(node.spec)) {
        return visit.template of<MaxPool2d>(
            [&](std::int64_t n) { return max_pool2d_shape(node, n); });
    }
    return visit.view();
}

}  // namespace trainscope
