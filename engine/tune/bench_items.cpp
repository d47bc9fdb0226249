// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>

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

// The bench knows square pools alone.
std::optional<BenchShape> conv_relu_pool_shape(const ConvReluPool::Shape& s) {
    const MaxPool2d::Shape& pool = s.pool;
    const bool square = pool.kernel_h == pool.kernel_w && pool.stride_h == pool.kernel_h &&
                        pool.stride_w == pool.kernel_w && pool.pad_h == 0 && pool.pad_w == 0;
    if (!square) {
        return std::nullopt;
    }
    BenchShape shape = with_conv(ConvReluPool::name, s.conv);
    shape["pool"] = pool.kernel_h;
    return shape;
}

// For with_operator: the bench's shape of what stands at a node, for n samples.
struct ShapeAt {
    std::int64_t n = 0;

    template <class Op, class ShapeOf>
    std::optional<BenchShape> of(const ShapeOf& operator_shape) const {
        const auto shape = operator_shape(n);
        if constexpr (std::is_same_v<Op, ConvReluPool>) {
            return conv_relu_pool_shape(shape);
        } else if constexpr (std::is_same_v<Op, Conv2d>) {
            return with_conv(Op::name, shape);
        } else if constexpr (std::is_same_v<Op, BatchNorm> || std::is_same_v<Op, BatchNormRelu>) {
            return with_norm(Op::name, shape);
        } else if constexpr (std::is_same_v<Op, Dense> || std::is_same_v<Op, DenseRelu>) {
            return with_dense(Op::name, shape);
        } else if constexpr (std::is_same_v<Op, Relu>) {
            return shape_of(Op::name, {{"elements", shape.elements}});
        } else {
            static_assert(std::is_same_v<Op, MaxPool2d>, "an operator that the bench cannot write");
            return pool_shape(shape);
        }
    }
    std::optional<BenchShape> view() const { return std::nullopt; }
};

std::optional<BenchShape> node_shape(const Graph& graph, std::size_t at, std::int64_t n) {
    const Node& node = graph.nodes[at];
    if (std::holds_alternative<SoftmaxCrossEntropySpec>(node.spec)) {
        const SoftmaxCrossEntropy::Shape s = loss_shape(node, n);
        return shape_of(SoftmaxCrossEntropy::name, {{"n", s.n}, {"classes", s.classes}});
    }
    return with_operator(graph, {.first_node = at}, ShapeAt{n});
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
            if (const auto shape = with_fused_operator(fused, graph, i, ShapeAt{micro_batch})) {
                add_item(items, *shape, names_of({nodes, fused.parts.size()}));
            }
        }
        if (const auto shape = node_shape(graph, i, micro_batch)) {
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
