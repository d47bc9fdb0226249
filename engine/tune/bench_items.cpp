// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>

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
        const BatchNorm::Shape s = batch_norm_shape(node, n);
        return shape_of("batch_norm", {{"n", s.n}, {"c", s.c}, {"h", s.h}, {"w", s.w}});
    }
    if (node.type == "relu") {
        return shape_of("relu", {{"elements", relu_shape(node, n).elements}});
    }
    if (node.type == "max_pool") {
        return pool_shape(max_pool2d_shape(node, n));
    }
    if (node.type == "dense") {
        const Dense::Shape s = dense_shape(node, n);
        return shape_of("dense",
                        {{"n", s.n}, {"in", s.in}, {"out", s.out}, {"bias", s.bias ? 1 : 0}});
    }
    if (node.type == "softmax_cross_entropy") {
        const SoftmaxCrossEntropy::Shape s = loss_shape(node, n);
        return shape_of("softmax_cross_entropy", {{"n", s.n}, {"classes", s.classes}});
    }
    return std::nullopt;  // a view of its input
}

// The convolution, ReLU and pooling that begin here, as one operator.
std::optional<BenchShape> fused_shape(const std::vector<Node>& nodes, std::size_t i,
                                      std::int64_t n) {
    if (i + 2 >= nodes.size() || nodes[i].type != "conv2d" || nodes[i + 1].type != "relu" ||
        nodes[i + 2].type != "max_pool") {
        return std::nullopt;
    }
    const MaxPool2d::Shape pool = max_pool2d_shape(nodes[i + 2], n);
    const bool square = pool.kernel_h == pool.kernel_w && pool.stride_h == pool.kernel_h &&
                        pool.stride_w == pool.kernel_w && pool.pad_h == 0 && pool.pad_w == 0;
    if (!square) {
        return std::nullopt;
    }
    BenchShape shape = with_conv("conv_relu_pool", conv2d_shape(nodes[i], n));
    shape["pool"] = pool.kernel_h;
    return shape;
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
        const std::vector<Node>& nodes = graph.nodes;
        if (const auto fused = fused_shape(nodes, i, micro_batch)) {
            add_item(items, *fused,
                     nodes[i].name + "+" + nodes[i + 1].name + "+" + nodes[i + 2].name);
        }
        if (const auto shape = node_shape(nodes[i], micro_batch)) {
            add_item(items, *shape, nodes[i].name);
        }
    }
    add_item(items,
             shape_of("optimizer", {{"parameters", graph.parameter_count()},
                                    {"kind", static_cast<std::int64_t>(optimizer)}}),
             "optimizer");
    return items;
}

}  // namespace trainscope
