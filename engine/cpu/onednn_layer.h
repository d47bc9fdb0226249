// SPDX-License-Identifier: GPL-3.0-or-later
// A layer with weights (convolution, inner product) computed by oneDNN: three primitives, each
// between reorderings of its tensors where it wants them in a format that the caller has not.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <utility>

#include "engine/cpu/onednn.h"

namespace trainscope::cpu::onednn {

// The caller's tensors as they lie in memory; `bias` is empty without one.
struct PlainFormats {
    dnnl::memory::desc x, weight, y, bias;
};

inline dnnl::memory::desc any_format(const dnnl::memory::desc& plain) {
    return {plain.dims(), dnnl::memory::data_type::f32, dnnl::memory::format_tag::any};
}

// `Passes` describes a layer to oneDNN. It has the operator `Op`; the primitives `Forward`, `Data`
// and `Weights`; their primitive_desc as `forward`, `data` and `weights`, made by the constructor
// from (shape, PlainFormats); and `static PlainFormats plain(shape)`.
//
// The plan says where the passes' memory lies. No machine code is made for it yet.
template <class Passes>
struct LayerPlan {
    using Shape = typename Passes::Op::Shape;

    PlainFormats plain;
    Passes passes;
    Tensor x, weight, y;                    // of forward
    Tensor data_dy, data_weight, dx;        // of the input's gradient
    Tensor weights_x, weights_dy, dweight;  // of the weights' gradient
    std::int64_t forward_scratch = 0, data_scratch = 0, weights_scratch = 0;
    std::int64_t dweight_sum = 0, dbias_sum = 0;  // what `accumulate` adds
    std::int64_t bytes = 0;

    // Call it in a ThreadScope.
    explicit LayerPlan(const Shape& shape) : plain(Passes::plain(shape)), passes(shape, plain) {
        using Use = Tensor::Use;
        x = {plain.x, passes.forward.src_desc(), Use::read};
        weight = {plain.weight, passes.forward.weights_desc(), Use::read};
        y = {plain.y, passes.forward.dst_desc(), Use::written};
        data_dy = {plain.y, passes.data.diff_dst_desc(), Use::read};
        data_weight = {plain.weight, passes.data.weights_desc(), Use::read};
        dx = {plain.x, passes.data.diff_src_desc(), Use::written};
        weights_x = {plain.x, passes.weights.src_desc(), Use::read};
        weights_dy = {plain.y, passes.weights.diff_dst_desc(), Use::read};
        dweight = {plain.weight, passes.weights.diff_weights_desc(), Use::written};
        place();
    }

  private:
    static std::int64_t place_stage(Layout& layout, std::initializer_list<Tensor*> tensors,
                                    const dnnl::memory::desc& scratchpad) {
        std::size_t scratch = scratchpad.get_size();
        for (Tensor* tensor : tensors) {
            tensor->place(layout.reserve(tensor->copy_bytes()));
            scratch = std::max(scratch, tensor->scratch_bytes());
        }
        return layout.reserve(scratch);
    }

    // Forward, the input's and the weights' gradient follow one another and share their bytes. Both
    // gradients have dy in front, so that one copy may serve both.
    void place() {
        Layout layout;
        forward_scratch = place_stage(layout, {&x, &weight, &y}, passes.forward.scratchpad_desc());
        layout.rewind(0);
        data_scratch =
            place_stage(layout, {&data_dy, &data_weight, &dx}, passes.data.scratchpad_desc());
        layout.rewind(0);
        weights_scratch = place_stage(layout, {&weights_dy, &weights_x, &dweight},
                                      passes.weights.scratchpad_desc());
        dweight_sum = layout.reserve(plain.weight.get_size());
        dbias_sum = layout.reserve(plain.bias.get_size());
        bytes = layout.bytes();
    }
};

template <class Passes>
class LayerKernel final : public Passes::Op::Kernel {
  public:
    using Op = typename Passes::Op;
    using Plan = LayerPlan<Passes>;

    LayerKernel(const typename Op::Shape& shape, int threads)
        : threads_(threads), plan_(plan_for(shape, threads)), stream_(cpu_engine()) {
        const ThreadScope scope(threads_);
        for (Tensor* tensor :
             {&plan_.x, &plan_.weight, &plan_.y, &plan_.data_dy, &plan_.data_weight, &plan_.dx,
              &plan_.weights_x, &plan_.weights_dy, &plan_.dweight}) {
            tensor->make();
        }
        const Passes& passes = plan_.passes;
        Call::Arguments forward = {{DNNL_ARG_SRC, plan_.x.memory()},
                                   {DNNL_ARG_WEIGHTS, plan_.weight.memory()},
                                   {DNNL_ARG_DST, plan_.y.memory()}};
        Call::Arguments weights = {{DNNL_ARG_SRC, plan_.weights_x.memory()},
                                   {DNNL_ARG_DIFF_DST, plan_.weights_dy.memory()},
                                   {DNNL_ARG_DIFF_WEIGHTS, plan_.dweight.memory()}};
        if (has_bias()) {
            bias_ = make_memory(plan_.plain.bias);
            dbias_ = make_memory(plan_.plain.bias);
            forward.emplace_back(DNNL_ARG_BIAS, bias_);
            weights.emplace_back(DNNL_ARG_DIFF_BIAS, dbias_);
        }
        forward_ = Call(typename Passes::Forward(passes.forward), passes.forward.scratchpad_desc(),
                        std::move(forward));
        data_ = Call(typename Passes::Data(passes.data), passes.data.scratchpad_desc(),
                     {{DNNL_ARG_DIFF_DST, plan_.data_dy.memory()},
                      {DNNL_ARG_WEIGHTS, plan_.data_weight.memory()},
                      {DNNL_ARG_DIFF_SRC, plan_.dx.memory()}});
        weights_ = Call(typename Passes::Weights(passes.weights), passes.weights.scratchpad_desc(),
                        std::move(weights));
    }

    static std::int64_t workspace_bytes(const typename Op::Shape& shape, int threads) {
        return plan_for(shape, threads).bytes;
    }

    void forward(const typename Op::Forward& args) override {
        const ThreadScope scope(threads_);
        auto* workspace = static_cast<std::byte*>(args.workspace);
        std::byte* scratch = workspace + plan_.forward_scratch;
        plan_.x.point_at(args.x, workspace);
        plan_.weight.point_at(args.weight, workspace);
        plan_.y.point_at(args.y, workspace);
        if (has_bias()) {
            point(bias_, args.bias);
        }
        plan_.x.reorder(stream_, scratch);
        plan_.weight.reorder(stream_, scratch);
        forward_.run(stream_, scratch);
        plan_.y.reorder(stream_, scratch);
    }

    void backward(const typename Op::Backward& args) override {
        const ThreadScope scope(threads_);
        if (args.dx != nullptr) {
            input_gradient(args);
        }
        weight_gradient(args);
    }

  private:
    static Plan plan_for(const typename Op::Shape& shape, int threads) {
        const ThreadScope scope(threads);
        return Plan(shape);
    }
    bool has_bias() const { return plan_.plain.bias.get_size() > 0; }

    void input_gradient(const typename Op::Backward& args) {
        auto* workspace = static_cast<std::byte*>(args.workspace);
        std::byte* scratch = workspace + plan_.data_scratch;
        plan_.data_dy.point_at(args.dy, workspace);
        plan_.data_weight.point_at(args.weight, workspace);
        plan_.dx.point_at(args.dx, workspace);
        plan_.data_dy.reorder(stream_, scratch);
        plan_.data_weight.reorder(stream_, scratch);
        data_.run(stream_, scratch);
        plan_.dx.reorder(stream_, scratch);
    }

    void weight_gradient(const typename Op::Backward& args) {
        auto* workspace = static_cast<std::byte*>(args.workspace);
        std::byte* scratch = workspace + plan_.weights_scratch;
        auto* dweight_sum = reinterpret_cast<float*>(workspace + plan_.dweight_sum);
        auto* dbias_sum = reinterpret_cast<float*>(workspace + plan_.dbias_sum);
        plan_.weights_x.point_at(args.x, workspace);
        plan_.weights_dy.point_at(args.dy, workspace);
        plan_.dweight.point_at(args.accumulate ? dweight_sum : args.dweight, workspace);
        if (has_bias()) {
            point(dbias_, args.accumulate ? dbias_sum : args.dbias);
        }
        plan_.weights_x.reorder(stream_, scratch);
        if (args.dx == nullptr || !plan_.weights_dy.same_format(plan_.data_dy)) {
            plan_.weights_dy.reorder(stream_, scratch);
        }
        weights_.run(stream_, scratch);
        plan_.dweight.reorder(stream_, scratch);
        if (args.accumulate) {
            add(dweight_sum, args.dweight, count(plan_.plain.weight), threads_);
            add(dbias_sum, args.dbias, count(plan_.plain.bias), 1);
        }
    }
    static std::int64_t count(const dnnl::memory::desc& plain) {
        return static_cast<std::int64_t>(plain.get_size() / sizeof(float));
    }

    int threads_;
    Plan plan_;
    dnnl::stream stream_;
    dnnl::memory bias_, dbias_;
    Call forward_, data_, weights_;
};

}  // namespace trainscope::cpu::onednn
