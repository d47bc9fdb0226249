// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution `onednn`: oneDNN's direct convolution in the formats it likes best, which hold 8 or
// 16 channels of a pixel together; tensors are reordered to and from them in the workspace. Adds
// over the rungs below machine code made for the shape. Bound by arithmetic for many channels, by
// the reordering for few. Refuses what oneDNN does.
#include "engine/cpu/onednn.h"

#include "engine/cpu/onednn_layer.h"
#include "engine/ops/conv2d.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope::cpu {
namespace {

using dnnl::memory;

struct Convolution {
    using Op = Conv2d;
    using Forward = dnnl::convolution_forward;
    using Data = dnnl::convolution_backward_data;
    using Weights = dnnl::convolution_backward_weights;

    Forward::primitive_desc forward;
    Data::primitive_desc data;
    Weights::primitive_desc weights;

    static onednn::PlainFormats plain(const Conv2d::Shape& s) {
        using Tag = memory::format_tag;
        const auto type = memory::data_type::f32;
        const memory::desc weight =
            s.groups == 1 ? memory::desc({s.k, s.c, s.r, s.s}, type, Tag::oihw)
                          : memory::desc({s.groups, s.k / s.groups, s.c / s.groups, s.r, s.s}, type,
                                         Tag::goihw);
        return {.x = {{s.n, s.c, s.h, s.w}, type, Tag::nchw},
                .weight = weight,
                .y = {{s.n, s.k, s.out_h(), s.out_w()}, type, Tag::nchw},
                .bias = s.bias ? memory::desc({s.k}, type, Tag::x) : memory::desc()};
    }

    Convolution(const Conv2d::Shape& shape, const onednn::PlainFormats& plain) {
        const auto direct = dnnl::algorithm::convolution_direct;
        const dnnl::engine& engine = onednn::cpu_engine();
        const dnnl::primitive_attr attributes = onednn::user_scratchpad();
        const memory::desc x = onednn::any_format(plain.x);
        const memory::desc weight = onednn::any_format(plain.weight);
        const memory::desc y = onednn::any_format(plain.y);
        const memory::dims strides = {shape.stride_h, shape.stride_w};
        const memory::dims padding = {shape.pad_h, shape.pad_w};
        forward = {{dnnl::prop_kind::forward_training, direct, x, weight, plain.bias, y, strides,
                    padding, padding},
                   attributes,
                   engine};
        data = {{direct, x, weight, y, strides, padding, padding}, attributes, engine, forward};
        weights = {{direct, x, weight, plain.bias, y, strides, padding, padding},
                   attributes,
                   engine,
                   forward};
    }
};

using Kernel = onednn::LayerKernel<Convolution>;

onednn::Answer answer(const Conv2d::Shape& shape, int threads) {
    static onednn::Answers<Conv2d::Shape> answers(Kernel::workspace_bytes);
    return answers.of(shape, threads);
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
     .make = [](const Conv2d::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<Conv2d::Kernel> {
         return std::make_unique<Kernel>(shape, context.threads);
     }}};

}  // namespace
}  // namespace trainscope::cpu
