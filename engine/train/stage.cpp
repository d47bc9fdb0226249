// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/stage.h"

#include <array>
#include <utility>
#include <variant>

#include "engine/model/node_shapes.h"

namespace trainscope {

namespace {

template <class Op>
class KernelStage : public Stage {
  public:
    using Kernel = typename Op::Kernel;
    KernelStage(std::unique_ptr<Kernel> kernel, const typename Op::Shape& shape,
                const StageParameters& parameters)
        : kernel_(std::move(kernel)), shape_(shape), p_(parameters) {}

  protected:
    std::unique_ptr<Kernel> kernel_;
    typename Op::Shape shape_;
    StageParameters p_;
};

// Convolution and dense layer take the same arguments.
template <class Op>
class WeightStage final : public KernelStage<Op> {
  public:
    using KernelStage<Op>::KernelStage;
    void forward(const StageTensors& t) override {
        this->kernel_->forward({.x = t.x,
                                .weight = this->p_.first,
                                .bias = this->p_.second,
                                .y = t.y,
                                .workspace = t.workspace});
    }
    void backward(const StageTensors& t, bool accumulate) override {
        this->kernel_->backward({.x = t.x,
                                 .weight = this->p_.first,
                                 .dy = t.dy,
                                 .dx = t.dx,
                                 .dweight = this->p_.first_gradient,
                                 .dbias = this->p_.second_gradient,
                                 .accumulate = accumulate,
                                 .workspace = t.workspace});
    }
};

class ConvReluPoolStage final : public KernelStage<ConvReluPool> {
  public:
    using KernelStage::KernelStage;
    void forward(const StageTensors& t) override {
        kernel_->forward({.x = t.x,
                          .weight = p_.first,
                          .bias = p_.second,
                          .y = t.y,
                          .index = t.winners,
                          .workspace = t.workspace});
    }
    void backward(const StageTensors& t, bool accumulate) override {
        kernel_->backward({.x = t.x,
                           .weight = p_.first,
                           .index = t.winners,
                           .dy = t.dy,
                           .dx = t.dx,
                           .dweight = p_.first_gradient,
                           .dbias = p_.second_gradient,
                           .accumulate = accumulate,
                           .workspace = t.workspace});
    }
};

class BatchNormStage final : public KernelStage<BatchNorm> {
  public:
    using KernelStage::KernelStage;
    void forward(const StageTensors& t) override {
        kernel_->forward({.x = t.x,
                          .gamma = p_.first,
                          .beta = p_.second,
                          .y = t.y,
                          .running_mean = p_.running_mean,
                          .running_var = p_.running_var,
                          .saved_mean = t.saved,
                          .saved_invstd = t.saved + shape_.c,
                          .workspace = t.workspace});
    }
    void infer(const StageTensors& t) override {
        kernel_->inference({.x = t.x,
                            .gamma = p_.first,
                            .beta = p_.second,
                            .running_mean = p_.running_mean,
                            .running_var = p_.running_var,
                            .y = t.y,
                            .workspace = t.workspace});
    }
    void backward(const StageTensors& t, bool accumulate) override {
        kernel_->backward({.x = t.x,
                           .gamma = p_.first,
                           .saved_mean = t.saved,
                           .saved_invstd = t.saved + shape_.c,
                           .dy = t.dy,
                           .dx = t.dx == nullptr ? t.dy : t.dx,  // in place, where nobody wants it
                           .dgamma = p_.first_gradient,
                           .dbeta = p_.second_gradient,
                           .accumulate = accumulate,
                           .workspace = t.workspace});
    }
};

class ReluStage final : public KernelStage<Relu> {
  public:
    using KernelStage::KernelStage;
    void forward(const StageTensors& t) override { kernel_->forward(t.x, t.y); }
    void backward(const StageTensors& t, bool) override {
        if (t.dx != nullptr) {
            kernel_->backward(t.y, t.dy, t.dx);
        }
    }
};

class MaxPoolStage final : public KernelStage<MaxPool2d> {
  public:
    using KernelStage::KernelStage;
    void forward(const StageTensors& t) override { kernel_->forward(t.x, t.y, t.winners); }
    void backward(const StageTensors& t, bool) override {
        if (t.dx != nullptr) {
            kernel_->backward(t.dy, t.winners, t.dx);
        }
    }
};

// Calls visit.of<Op>(shape_of) for the operator that runs the stage, or
// visit.view() where there is none.
template <class Visit>
auto with_operator(const Graph& graph, const PlannedStage& planned, const Visit& visit) {
    const Node& node = graph.nodes[planned.first_node];
    if (planned.fused_conv_relu_pool) {
        const Node& pool = graph.nodes[planned.first_node + 2];
        return visit.template of<ConvReluPool>([&](std::int64_t n) {
            return ConvReluPool::Shape{.conv = conv2d_shape(node, n),
                                       .pool = max_pool2d_shape(pool, n)};
        });
    }
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

template <class Op>
struct StageOf {
    using Type = WeightStage<Op>;
};
template <>
struct StageOf<ConvReluPool> {
    using Type = ConvReluPoolStage;
};
template <>
struct StageOf<BatchNorm> {
    using Type = BatchNormStage;
};
template <>
struct StageOf<Relu> {
    using Type = ReluStage;
};
template <>
struct StageOf<MaxPool2d> {
    using Type = MaxPoolStage;
};

struct Maker {
    const KernelChoice& choice;
    std::int64_t n;
    const StageParameters& parameters;

    template <class Op, class ShapeOf>
    Result<std::unique_ptr<Stage>> of(const ShapeOf& shape_of) const {
        auto kernel = make_kernel<Op>(choice, n, shape_of);
        if (!kernel) {
            return make_error(std::move(kernel.error()));
        }
        return std::make_unique<typename StageOf<Op>::Type>(std::move(*kernel), shape_of(n),
                                                            parameters);
    }
    Result<std::unique_ptr<Stage>> view() const { return nullptr; }
};

struct Checker {
    const KernelChoice& choice;
    std::int64_t n;
    VariantsUsed& used;

    template <class Op, class ShapeOf>
    Result<void> of(const ShapeOf& shape_of) const {
        const auto variant = kernel_variant<Op>(choice, n, shape_of);
        if (!variant) {
            return make_error(variant.error());
        }
        used[std::string(Op::name)].insert((*variant)->name);
        return {};
    }
    Result<void> view() const { return {}; }
};

}  // namespace

StageParameters parameters_of(const ParameterTable& table, const ModelState& state,
                              std::size_t node) {
    StageParameters p;
    const std::array<std::pair<float**, float**>, 4> fields = {{{&p.first, &p.first_gradient},
                                                                {&p.second, &p.second_gradient},
                                                                {&p.running_mean, nullptr},
                                                                {&p.running_var, nullptr}}};
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const ParameterPlace* const place = table.of_node(node, i);
        if (place == nullptr) {
            break;
        }
        const Buffer& block = place->spec->trainable ? state.parameters : state.running;
        *fields[i].first = block.floats() + place->offset;
        if (fields[i].second != nullptr) {
            *fields[i].second = state.gradients.floats() + place->offset;
        }
    }
    return p;
}

Result<std::unique_ptr<Stage>> make_stage(const Graph& graph, const PlannedStage& planned,
                                          const KernelChoice& choice, std::int64_t n,
                                          const StageParameters& parameters) {
    return with_operator(graph, planned, Maker{choice, n, parameters});
}

Result<void> check_stage(const Graph& graph, const PlannedStage& planned,
                         const KernelChoice& choice, std::int64_t n, VariantsUsed& used) {
    return with_operator(graph, planned, Checker{choice, n, used});
}

}  // namespace trainscope
