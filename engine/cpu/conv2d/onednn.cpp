// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution `onednn`: oneDNN's direct convolution in the formats it likes best, which hold 8 or
// 16 channels of a pixel together; tensors are reordered to and from them in the workspace. Adds
// over the rungs below machine code made for the shape. Bound by arithmetic for many channels, by
// the reordering for few. Refuses what oneDNN does.
#include "engine/cpu/onednn.h"

#include "engine/cpu/parallel.h"
#include "engine/ops/conv2d.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope::cpu {
namespace {

using dnnl::convolution_backward_data;
using dnnl::convolution_backward_weights;
using dnnl::convolution_forward;
using dnnl::memory;
using onednn::Call;
using onednn::Layout;
using onednn::Tensor;

// The tensors' descriptions: as the caller has them, and with the format left to oneDNN.
struct Formats {
    memory::dims x, weight, y, bias;
    memory::dims strides, padding;

    explicit Formats(const Conv2d::Shape& s)
        : x{s.n, s.c, s.h, s.w},
          weight{s.k, s.c, s.r, s.s},
          y{s.n, s.k, s.out_h(), s.out_w()},
          bias{s.k},
          strides{s.stride_h, s.stride_w},
          padding{s.pad_h, s.pad_w} {
        if (s.groups > 1) {
            weight = {s.groups, s.k / s.groups, s.c / s.groups, s.r, s.s};
        }
    }
    static memory::desc any(const memory::dims& dims) {
        return {dims, memory::data_type::f32, memory::format_tag::any};
    }
    static memory::desc plain(const memory::dims& dims) {
        using Tag = memory::format_tag;
        const Tag tag = dims.size() == 1 ? Tag::a : dims.size() == 4 ? Tag::abcd : Tag::abcde;
        return {dims, memory::data_type::f32, tag};
    }
    memory::desc bias_or_none(bool has_bias) const {
        return has_bias ? plain(bias) : memory::desc();
    }
};

// The three passes and where their memory lies; describing makes no machine code yet.
struct Plan {
    convolution_forward::primitive_desc forward;
    convolution_backward_data::primitive_desc data;
    convolution_backward_weights::primitive_desc weights;
    Tensor x, weight, y;                    // of forward
    Tensor data_dy, data_weight, dx;        // of the input's gradient
    Tensor weights_x, weights_dy, dweight;  // of the weights' gradient
    std::int64_t forward_scratch = 0, data_scratch = 0, weights_scratch = 0;
    std::int64_t dweight_sum = 0, dbias_sum = 0;  // what `accumulate` adds
    std::int64_t bytes = 0;

    Plan(const Conv2d::Shape& shape, int threads) {
        const onednn::ThreadScope scope(threads);
        describe(shape);
        choose_formats(shape);
        place(shape);
    }

  private:
    void describe(const Conv2d::Shape& shape) {
        const Formats f(shape);
        const auto direct = dnnl::algorithm::convolution_direct;
        const dnnl::engine& engine = onednn::cpu_engine();
        const dnnl::primitive_attr attributes = onednn::user_scratchpad();
        const memory::desc x_any = Formats::any(f.x);
        const memory::desc weight_any = Formats::any(f.weight);
        const memory::desc y_any = Formats::any(f.y);
        const memory::desc b = f.bias_or_none(shape.bias);
        forward = {{dnnl::prop_kind::forward_training, direct, x_any, weight_any, b, y_any,
                    f.strides, f.padding, f.padding},
                   attributes,
                   engine};
        data = {{direct, x_any, weight_any, y_any, f.strides, f.padding, f.padding},
                attributes,
                engine,
                forward};
        weights = {{direct, x_any, weight_any, b, y_any, f.strides, f.padding, f.padding},
                   attributes,
                   engine,
                   forward};
    }

    void choose_formats(const Conv2d::Shape& shape) {
        const Formats f(shape);
        const memory::desc plain_x = Formats::plain(f.x);
        const memory::desc plain_weight = Formats::plain(f.weight);
        const memory::desc plain_y = Formats::plain(f.y);
        using Use = Tensor::Use;
        x = {plain_x, forward.src_desc(), Use::read};
        weight = {plain_weight, forward.weights_desc(), Use::read};
        y = {plain_y, forward.dst_desc(), Use::written};
        data_dy = {plain_y, data.diff_dst_desc(), Use::read};
        data_weight = {plain_weight, data.weights_desc(), Use::read};
        dx = {plain_x, data.diff_src_desc(), Use::written};
        weights_x = {plain_x, weights.src_desc(), Use::read};
        weights_dy = {plain_y, weights.diff_dst_desc(), Use::read};
        dweight = {plain_weight, weights.diff_weights_desc(), Use::written};
    }

    static std::int64_t place_stage(Layout& layout, std::initializer_list<Tensor*> tensors,
                                    const memory::desc& scratchpad) {
        std::size_t scratch = scratchpad.get_size();
        for (Tensor* tensor : tensors) {
            tensor->place(layout.reserve(tensor->copy_bytes()));
            scratch = std::max(scratch, tensor->scratch_bytes());
        }
        return layout.reserve(scratch);
    }

    // Forward, the input's and the weights' gradient follow one another and share their bytes.
    void place(const Conv2d::Shape& shape) {
        Layout layout;
        forward_scratch = place_stage(layout, {&x, &weight, &y}, forward.scratchpad_desc());
        layout.rewind(0);
        data_scratch = place_stage(layout, {&data_dy, &data_weight, &dx}, data.scratchpad_desc());
        layout.rewind(0);
        weights_scratch =
            place_stage(layout, {&weights_dy, &weights_x, &dweight}, weights.scratchpad_desc());
        dweight_sum = layout.reserve(static_cast<std::size_t>(shape.weight_elements()) * 4);
        dbias_sum = layout.reserve(shape.bias ? static_cast<std::size_t>(shape.k) * 4 : 0);
        bytes = layout.bytes();
    }
};

class Onednn final : public Conv2d::Kernel {
  public:
    Onednn(const Conv2d::Shape& shape, const KernelContext& context)
        : shape_(shape),
          threads_(context.threads),
          plan_(shape, context.threads),
          stream_(onednn::cpu_engine()) {
        const onednn::ThreadScope scope(threads_);
        for (Tensor* tensor :
             {&plan_.x, &plan_.weight, &plan_.y, &plan_.data_dy, &plan_.data_weight, &plan_.dx,
              &plan_.weights_x, &plan_.weights_dy, &plan_.dweight}) {
            tensor->make();
        }
        Call::Arguments forward = {{DNNL_ARG_SRC, plan_.x.memory()},
                                   {DNNL_ARG_WEIGHTS, plan_.weight.memory()},
                                   {DNNL_ARG_DST, plan_.y.memory()}};
        Call::Arguments weights = {{DNNL_ARG_SRC, plan_.weights_x.memory()},
                                   {DNNL_ARG_DIFF_DST, plan_.weights_dy.memory()},
                                   {DNNL_ARG_DIFF_WEIGHTS, plan_.dweight.memory()}};
        if (shape.bias) {
            bias_ = onednn::make_memory(Formats::plain({shape.k}));
            dbias_ = onednn::make_memory(Formats::plain({shape.k}));
            forward.emplace_back(DNNL_ARG_BIAS, bias_);
            weights.emplace_back(DNNL_ARG_DIFF_BIAS, dbias_);
        }
        forward_ = Call(dnnl::convolution_forward(plan_.forward), plan_.forward.scratchpad_desc(),
                        std::move(forward));
        data_ = Call(dnnl::convolution_backward_data(plan_.data), plan_.data.scratchpad_desc(),
                     {{DNNL_ARG_DIFF_DST, plan_.data_dy.memory()},
                      {DNNL_ARG_WEIGHTS, plan_.data_weight.memory()},
                      {DNNL_ARG_DIFF_SRC, plan_.dx.memory()}});
        weights_ = Call(dnnl::convolution_backward_weights(plan_.weights),
                        plan_.weights.scratchpad_desc(), std::move(weights));
    }

    void forward(const Conv2d::Forward& args) override {
        const onednn::ThreadScope scope(threads_);
        auto* workspace = static_cast<std::byte*>(args.workspace);
        std::byte* scratch = workspace + plan_.forward_scratch;
        plan_.x.point_at(args.x, workspace);
        plan_.weight.point_at(args.weight, workspace);
        plan_.y.point_at(args.y, workspace);
        if (shape_.bias) {
            onednn::point(bias_, args.bias);
        }
        plan_.x.reorder(stream_, scratch);
        plan_.weight.reorder(stream_, scratch);
        forward_.run(stream_, scratch);
        plan_.y.reorder(stream_, scratch);
    }

    void backward(const Conv2d::Backward& args) override {
        const onednn::ThreadScope scope(threads_);
        if (args.dx != nullptr) {
            input_gradient(args);
        }
        weight_gradient(args);
    }

  private:
    void input_gradient(const Conv2d::Backward& args) {
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

    void weight_gradient(const Conv2d::Backward& args) {
        auto* workspace = static_cast<std::byte*>(args.workspace);
        std::byte* scratch = workspace + plan_.weights_scratch;
        auto* dweight_sum = reinterpret_cast<float*>(workspace + plan_.dweight_sum);
        auto* dbias_sum = reinterpret_cast<float*>(workspace + plan_.dbias_sum);
        plan_.weights_x.point_at(args.x, workspace);
        plan_.weights_dy.point_at(args.dy, workspace);
        plan_.dweight.point_at(args.accumulate ? dweight_sum : args.dweight, workspace);
        if (shape_.bias) {
            onednn::point(dbias_, args.accumulate ? dbias_sum : args.dbias);
        }
        plan_.weights_x.reorder(stream_, scratch);
        // The copy that the input's gradient was made from lies in the same place.
        if (args.dx == nullptr || !plan_.weights_dy.same_format(plan_.data_dy)) {
            plan_.weights_dy.reorder(stream_, scratch);
        }
        weights_.run(stream_, scratch);
        plan_.dweight.reorder(stream_, scratch);
        if (args.accumulate) {
            onednn::add(dweight_sum, args.dweight, shape_.weight_elements(), threads_);
            onednn::add(dbias_sum, args.dbias, shape_.bias ? shape_.k : 0, threads_);
        }
    }

    Conv2d::Shape shape_;
    int threads_;
    Plan plan_;
    dnnl::stream stream_;
    memory bias_, dbias_;
    Call forward_, data_, weights_;
};

onednn::Answer answer(const Conv2d::Shape& shape, int threads) {
    static onednn::Answers<Conv2d::Shape> answers;
    return answers.of(shape, threads,
                      [](const Conv2d::Shape& s, int t) { return Plan(s, t).bytes; });
}

const Registered<Conv2d> registered{
    DeviceKind::cpu,
    {.name = "onednn",
     .description = "oneDNN's convolution in formats of its own; best for many channels.",
     .preference = 20,
     .refuses = [](const Conv2d::Shape& shape) { return answer(shape, 1).refusal; },
     .workspace_bytes =
         [](const Conv2d::Shape& shape, const KernelContext& context) {
             return answer(shape, context.threads).workspace_bytes;
         },
     .make = [](const Conv2d::Shape& shape, const KernelContext& context)
         -> std::unique_ptr<Conv2d::Kernel> { return std::make_unique<Onednn>(shape, context); }}};

}  // namespace
}  // namespace trainscope::cpu
