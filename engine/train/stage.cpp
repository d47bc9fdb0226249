// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/stage.h"

#include <array>
#include <utility>
#include <variant>

#include "engine/model/fusion.h"

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

template <class Op>
typename Op::Backward weight_backward(const StageTensors& t, const StageParameters& p,
                                      bool accumulate) {
    return {.x = t.x,
            .weight = p.first,
            .dy = t.dy,
            .dx = t.dx,
            .dweight = p.first_gradient,
            .dbias = p.second_gradient,
            .accumulate = accumulate,
            .workspace = t.workspace};
}

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
        this->kernel_->backward(weight_backward<Op>(t, this->p_, accumulate));
    }
};

class DenseReluStage final : public KernelStage<DenseRelu> {
  public:
    using KernelStage::KernelStage;
    void forward(const StageTensors& t) override {
        kernel_->forward(
            {.x = t.x, .weight = p_.first, .bias = p_.second, .y = t.y, .workspace = t.workspace});
    }
    void backward(const StageTensors& t, bool accumulate) override {
        kernel_->backward(
            {.dense = weight_backward<Dense>(t, p_, accumulate), .y = t.y, .dy = t.dy});
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

BatchNorm::Forward norm_forward(const StageTensors& t, const StageParameters& p,
                                const BatchNorm::Shape& shape) {
    return {.x = t.x,
            .gamma = p.first,
            .beta = p.second,
            .y = t.y,
            .running_mean = p.running_mean,
            .running_var = p.running_var,
            .saved_mean = t.saved,
            .saved_invstd = t.saved + shape.c,
            .workspace = t.workspace};
}

BatchNorm::Inference norm_inference(const StageTensors& t, const StageParameters& p) {
    return {.x = t.x,
            .gamma = p.first,
            .beta = p.second,
            .running_mean = p.running_mean,
            .running_var = p.running_var,
            .y = t.y,
            .workspace = t.workspace};
}

BatchNorm::Backward norm_backward(const StageTensors& t, const StageParameters& p,
                                  const BatchNorm::Shape& shape, bool accumulate) {
    return {.x = t.x,
            .gamma = p.first,
            .saved_mean = t.saved,
            .saved_invstd = t.saved + shape.c,
            .dy = t.dy,
            .dx = t.dx == nullptr ? t.dy : t.dx,  // in place, where nobody wants it
            .dgamma = p.first_gradient,
            .dbeta = p.second_gradient,
            .accumulate = accumulate,
            .workspace = t.workspace};
}

class BatchNormStage final : public KernelStage<BatchNorm> {
  public:
    using KernelStage::KernelStage;
    void forward(const StageTensors& t) override { kernel_->forward(norm_forward(t, p_, shape_)); }
    void infer(const StageTensors& t) override { kernel_->inference(norm_inference(t, p_)); }
    void backward(const StageTensors& t, bool accumulate) override {
        kernel_->backward(norm_backward(t, p_, shape_, accumulate));
    }
};

class BatchNormReluStage final : public KernelStage<BatchNormRelu> {
  public:
    using KernelStage::KernelStage;
    void forward(const StageTensors& t) override {
        kernel_->forward(
            {.norm = norm_forward(t, p_, shape_), .saved_rest = t.saved + 2 * shape_.c});
    }
    void infer(const StageTensors& t) override { kernel_->inference(norm_inference(t, p_)); }
    void backward(const StageTensors& t, bool accumulate) override {
        kernel_->backward({.norm = norm_backward(t, p_, shape_, accumulate),
                           .beta = p_.second,
                           .saved_rest = t.saved + 2 * shape_.c});
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
struct StageOf<BatchNormRelu> {
    using Type = BatchNormReluStage;
};
template <>
struct StageOf<DenseRelu> {
    using Type = DenseReluStage;
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
