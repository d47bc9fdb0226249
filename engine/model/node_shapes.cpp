// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/node_shapes.h"

#include <variant>

namespace trainscope {

namespace {

// One for each kind of layer, or the call below does not compile.
struct OperatorName {
    std::string_view operator()(const Conv2dSpec&) const { return Conv2d::name; }
    std::string_view operator()(const BatchNormSpec&) const { return BatchNorm::name; }
    std::string_view operator()(const ReluSpec&) const { return Relu::name; }
    std::string_view operator()(const MaxPoolSpec&) const { return MaxPool2d::name; }
    std::string_view operator()(const FlattenSpec&) const { return {}; }
    std::string_view operator()(const DenseSpec&) const { return Dense::name; }
    std::string_view operator()(const SoftmaxCrossEntropySpec&) const {
        return SoftmaxCrossEntropy::name;
    }
};

}  // namespace

std::string_view operator_of(const Node& node) {
    return std::visit(OperatorName{}, node.spec);
}

Conv2d::Shape conv2d_shape(const Node& node, std::int64_t n) {
    const auto& spec = std::get<Conv2dSpec>(node.spec);
    return {.n = n,
            .c = node.input[0],
            .h = node.input[1],
            .w = node.input[2],
            .k = spec.filters,
            .r = spec.kernel_h,
            .s = spec.kernel_w,
            .stride_h = spec.stride_h,
            .stride_w = spec.stride_w,
            .pad_h = spec.same_padding ? (spec.kernel_h - 1) / 2 : spec.pad_h,
            .pad_w = spec.same_padding ? (spec.kernel_w - 1) / 2 : spec.pad_w,
            .groups = spec.groups,
            .bias = spec.bias};
}

BatchNorm::Shape batch_norm_shape(const Node& node, std::int64_t n) {
    const auto& spec = std::get<BatchNormSpec>(node.spec);
    const bool image = node.input.rank() == 3;
    return {.n = n,
            .c = node.input[0],
            .h = image ? node.input[1] : 1,
            .w = image ? node.input[2] : 1,
            .eps = spec.eps,
            .momentum = spec.momentum};
}

Relu::Shape relu_shape(const Node& node, std::int64_t n) {
    return {.elements = n * node.input.elements()};
}

MaxPool2d::Shape max_pool2d_shape(const Node& node, std::int64_t n) {
    const auto& spec = std::get<MaxPoolSpec>(node.spec);
    return {.n = n,
            .c = node.input[0],
            .h = node.input[1],
            .w = node.input[2],
            .kernel_h = spec.kernel_h,
            .kernel_w = spec.kernel_w,
            .stride_h = spec.stride_h,
            .stride_w = spec.stride_w,
            .pad_h = spec.pad_h,
            .pad_w = spec.pad_w};
}

Dense::Shape dense_shape(const Node& node, std::int64_t n) {
    const auto& spec = std::get<DenseSpec>(node.spec);
    return {.n = n, .in = node.input.elements(), .out = node.output.elements(), .bias = spec.bias};
}

SoftmaxCrossEntropy::Shape loss_shape(const Node& node, std::int64_t n) {
    return {.n = n, .classes = node.input.elements()};
}

}  // namespace trainscope
