// SPDX-License-Identifier: GPL-3.0-or-later
// Fully connected `onednn`: oneDNN's inner product on the tensors as they lie, which is its general
// matrix product. (In formats of its own forward gains a little for few outputs, and backward loses
// twice as much to the reordering.)
// It is no variant of dense_relu: oneDNN's ReLU behind a product (2.6.3) makes 0 of NaN.
// Bound by arithmetic for many outputs, by reading the inputs for few. Refuses what oneDNN does.
#include "engine/cpu/onednn.h"

#include "engine/cpu/onednn_layer.h"
#include "engine/ops/dense.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope::cpu {
namespace {

using dnnl::memory;

struct InnerProduct {
    using Op = Dense;
    using Forward = dnnl::inner_product_forward;
    using Data = dnnl::inner_product_backward_data;
    using Weights = dnnl::inner_product_backward_weights;

    Forward::primitive_desc forward;
    Data::primitive_desc data;
    Weights::primitive_desc weights;

    static onednn::PlainFormats plain(const Dense::Shape& s) {
        using Tag = memory::format_tag;
        const auto type = memory::data_type::f32;
        return {.x = {{s.n, s.in}, type, Tag::nc},
                .weight = {{s.out, s.in}, type, Tag::oi},
                .y = {{s.n, s.out}, type, Tag::nc},
                .bias = s.bias ? memory::desc({s.out}, type, Tag::x) : memory::desc()};
    }

    InnerProduct(const Dense::Shape&, const onednn::PlainFormats& plain) {
        const dnnl::engine& engine = onednn::cpu_engine();
        const dnnl::primitive_attr attributes = onednn::user_scratchpad();
        forward = {{dnnl::prop_kind::forward_training, plain.x, plain.weight, plain.bias, plain.y},
                   attributes,
                   engine};
        data = {{plain.x, plain.weight, plain.y}, attributes, engine, forward};
        weights = {{plain.x, plain.weight, plain.bias, plain.y}, attributes, engine, forward};
    }
};

using Kernel = onednn::LayerKernel<InnerProduct>;

onednn::Answer answer(const Dense::Shape& shape, int threads) {
    static onednn::Answers<Dense::Shape> answers(Kernel::workspace_bytes);
    return answers.of(shape, threads);
}

const Registered<Dense> registered{
    DeviceKind::cpu,
    {.name = "onednn",
     .description = "oneDNN's inner product, a general matrix product; good for many outputs.",
     // From so many outputs on it was 1.6 to 4 times faster than `blocked`, and slower at 10.
     .preference_for_shape = [](const Dense::Shape& shape) { return shape.out >= 128 ? 25 : 15; },
     .refuses = [](const Dense::Shape& shape) { return answer(shape, 1).refusal; },
     .workspace_bytes =
         [](const Dense::Shape& shape, const KernelContext& context) {
             return answer(shape, context.threads).workspace_bytes;
         },
     .make = [](const Dense::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<Dense::Kernel> {
         return std::make_unique<Kernel>(shape, context.threads);
     }}};

}  // namespace
}  // namespace trainscope::cpu
