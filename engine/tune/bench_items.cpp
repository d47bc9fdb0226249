// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <span>

#include "engine/model/fusion.h"
#include "engine/model/node_shapes.h"
#include "engine/tune/kernel_bench.h"

namespace trainscope {

namespace {

using Fields = std::initializer_list<std::pair<std::string_view, std::int64_t>>;

BenchShape shape_of(std::string_view op, Fields fields) {
    BenchShape shape = usual_bench_shape(op).value();
    for (const auto& [name, value] : fields) {
        shape[name] = value;
    }
    return shape;
}

BenchShape with_conv(std::string_view op, const Conv2d::Shape& s) {
    return shape_of(op, {{"n", s.n},
                         {"c", s.c},
                         {"h", s.h},
                         {"w", s.w},
                         {"k", s.k},
                         {"r", s.r},
                         {"s", s.s},
                         {"stride", s.stride_h},
                         {"stride_w", s.stride_w},
                         {"pad", s.pad_h},
                         {"pad_w", s.pad_w},
                         {"groups", s.groups},
                         {"bias", s.bias ? 1 : 0}});
}

BenchShape with_norm(std::string_view op, const BatchNorm::Shape& s) {
    return shape_of(op, {{"n", s.n}, {"c", s.c}, {"h", s.h}, {"w", s.w}});
}

BenchShape with_dense(std::string_view op, const Dense::Shape& s) {
    return shape_of(op, {{"n", s.n}, {"in", s.in}, {"out", s.out}, {"bias", s.bias ? 1 : 0}});
}

BenchShape pool_shape(const MaxPool2d::Shape& s) {
    return shape_of("max_pool2d", {{"n", s.n},
                                   {"c", s.c},
                                   {"h", s.h},
                                   {"w", s.w},
                                   {"kernel", s.kernel_h},
                                   {"kernel_w", s.kernel_w},
                                   {"stride", s.stride_h},
                                   {"stride_w", s.stride_w},
                                   {"pad", s.pad_h},
                                   {"pad_w", s.pad_w}});
}

std::optional<BenchShape> node_shape(const Node& node, std::int64_t n) {
    if (node.type == "conv2d") {
        return with_conv("conv2d", conv2d_shape(node, n));
    }
    if (node.type == "batch_norm") {
        return with_norm(BatchNorm::name, batch_norm_shape(node, n));
    }
    if (node.type == "relu") {
        return shape_of("relu", {{"elements", relu_shape(node, n).elements}});
    }
    if (node.type == "max_pool") {
        return pool_shape(max_pool2d_shape(node, n));
    }
    if (node.type == "dense") {
        return with_dense(Dense::name, dense_shape(node, n));
    }
    if (node.type == "softmax_cross_entropy") {
        const SoftmaxCrossEntropy::Shape s = loss_shape(node, n);
        return shape_of("softmax_cross_entropy", {{"n", s.n}, {"classes", s.classes}});
    }
    return std::nullopt;  // a view of its input
}

// The bench knows square pools alone.
std::optional<BenchShape> conv_relu_pool_shape(const Node* nodes, std::int64_t n) {
    const MaxPool2d::Shape pool = max_pool2d_shape(nodes[2], n);
    const bool square = pool.kernel_h == pool.kernel_w && pool.stride_h == pool.kernel_h &&
                        pool.stride_w == pool.kernel_w && pool.pad_h == 0 && pool.pad_w == 0;
    if (!square) {
        return std::nullopt;
    }
    BenchShape shape = with_conv(ConvReluPool::name, conv2d_shape(nodes[0], n));
    shape["pool"] = pool.kernel_h;
    return shape;
}

// The nodes that begin here, as one operator.
std::optional<BenchShape> fused_shape(const FusedOperator& fused, const Node* nodes,
                                      std::int64_t n) {
    if (fused.op == ConvReluPool::name) {
        return conv_relu_pool_shape(nodes, n);
    }
    if (fused.op == DenseRelu::name) {
        return with_dense(DenseRelu::name, dense_shape(nodes[0], n));
    }
    return with_norm(BatchNormRelu::name, batch_norm_shape(nodes[0], n));
}

std::string names_of(std::span<const Node> nodes) {
    std::string names;
    for (const Node& node : nodes) {
        names += (names.empty() ? "" : "+") + node.name;
    }
    return names;
}

void add_item(std::vector<BenchItem>& items, const BenchShape& shape, const std::string& layer) {
    const auto same = std::find_if(items.begin(), items.end(),
                                   [&](const BenchItem& item) { return item.shape == shape; });
    if (same == items.end()) {
        items.push_back({shape, layer});
    } else {
        same->layer += ", " + layer;
    }
}

}  // namespace

std::vector<BenchItem> bench_items(const Graph& graph, std::int64_t micro_batch,
                                   OptimizerKind optimizer) {
    std::vector<BenchItem> items;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node* const nodes = &graph.nodes[i];
        for (const FusedOperator& fused : fused_operators) {
            if (!can_stand_at(fused, graph, i)) {
                continue;
            }
            if (const auto shape = fused_shape(fused, nodes, micro_batch)) {
                add_item(items, *shape, names_of({nodes, fused.parts.size()}));
            }
        }
        if (const auto shape = node_shape(nodes[0], micro_batch)) {
            add_item(items, *shape, nodes[0].name);
        }
    }
    add_item(items,
             shape_of("optimizer", {{"parameters", graph.parameter_count()},
                                    {"kind", static_cast<std::int64_t>(optimizer)}}),
             "optimizer");
    return items;
}

}  // namespace trainscope
