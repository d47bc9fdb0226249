// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norm `onednn`: oneDNN's batch normalisation on NCHW. It sums in float around a mean that it
// rounds to a float, which costs precision where the mean is many deviations: such a call (rare in
// networks) is done by the passes of `two_pass` instead.
// Bound by memory. Refuses what oneDNN does.
#include "engine/cpu/onednn.h"

#include "engine/cpu/batch_norm/channel.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope::cpu {
namespace {

using dnnl::batch_normalization_backward;
using dnnl::batch_normalization_forward;
using dnnl::memory;
using onednn::Call;

memory::desc values_description(const BatchNorm::Shape& s) {
    return {{s.n, s.c, s.h, s.w}, memory::data_type::f32, memory::format_tag::nchw};
}
memory::desc channels_description(const BatchNorm::Shape& s) {
    return {{s.c}, memory::data_type::f32, memory::format_tag::a};
}

struct Plan {
    batch_normalization_forward::primitive_desc forward, inference;
    batch_normalization_backward::primitive_desc backward;
    std::int64_t variance = 0, dgamma_sum = 0, dbeta_sum = 0, scratch = 0;  // in the workspace
    std::int64_t bytes = 0;

    Plan(const BatchNorm::Shape& shape, int threads) {
        const onednn::ThreadScope scope(threads);
        using Flags = dnnl::normalization_flags;
        const Flags parameters = Flags::use_scale | Flags::use_shift;
        const memory::desc values = values_description(shape);
        const dnnl::engine& engine = onednn::cpu_engine();
        const dnnl::primitive_attr attributes = onednn::user_scratchpad();
        forward = {
            {dnnl::prop_kind::forward_training, values, shape.eps, parameters}, attributes, engine};
        inference = {{dnnl::prop_kind::forward_inference, values, shape.eps,
                      parameters | Flags::use_global_stats},
                     attributes,
                     engine};
        backward = {{dnnl::prop_kind::backward, values, values, shape.eps, parameters},
                    attributes,
                    engine,
                    forward};
        const auto channels = static_cast<std::size_t>(shape.c) * sizeof(float);
        onednn::Layout layout;
        variance = layout.reserve(channels);
        dgamma_sum = layout.reserve(channels);
        dbeta_sum = layout.reserve(channels);
        scratch = layout.reserve(
            std::max({forward.scratchpad_desc().get_size(), inference.scratchpad_desc().get_size(),
                      backward.scratchpad_desc().get_size()}));
        bytes = layout.bytes();
    }
};

class Onednn final : public BatchNorm::Kernel {
  public:
    Onednn(const BatchNorm::Shape& shape, const KernelContext& context)
        : shape_(shape),
          threads_(context.threads),
          plan_(shape, context.threads),
          stream_(onednn::cpu_engine()) {
        const onednn::ThreadScope scope(threads_);
        for (memory* values : {&x_, &y_, &dy_, &dx_}) {
            *values = onednn::make_memory(values_description(shape));
        }
        for (memory* channels : {&gamma_, &beta_, &mean_, &variance_, &dgamma_, &dbeta_}) {
            *channels = onednn::make_memory(channels_description(shape));
        }
        const Call::Arguments forward = {{DNNL_ARG_SRC, x_},       {DNNL_ARG_DST, y_},
                                         {DNNL_ARG_SCALE, gamma_}, {DNNL_ARG_SHIFT, beta_},
                                         {DNNL_ARG_MEAN, mean_},   {DNNL_ARG_VARIANCE, variance_}};
        forward_ = Call(batch_normalization_forward(plan_.forward), plan_.forward.scratchpad_desc(),
                        forward);
        inference_ = Call(batch_normalization_forward(plan_.inference),
                          plan_.inference.scratchpad_desc(), forward);
        backward_ =
            Call(batch_normalization_backward(plan_.backward), plan_.backward.scratchpad_desc(),
                 {{DNNL_ARG_SRC, x_},
                  {DNNL_ARG_SCALE, gamma_},
                  {DNNL_ARG_MEAN, mean_},
                  {DNNL_ARG_VARIANCE, variance_},
                  {DNNL_ARG_SHIFT, gamma_},
                  {DNNL_ARG_DIFF_DST, dy_},
                  {DNNL_ARG_DIFF_SRC, dx_},
                  {DNNL_ARG_DIFF_SCALE, dgamma_},
                  {DNNL_ARG_DIFF_SHIFT, dbeta_}});
    }

    void forward(const BatchNorm::Forward& args) override {
        const onednn::ThreadScope scope(threads_);
        auto* workspace = static_cast<std::byte*>(args.workspace);
        auto* variance = reinterpret_cast<float*>(workspace + plan_.variance);
        point_at_inputs(args.x, args.gamma, args.saved_mean, variance);
        onednn::point(beta_, args.beta);
        onednn::point(y_, args.y);
        forward_.run(stream_, workspace + plan_.scratch);
        for (std::int64_t c = 0; c < shape_.c; ++c) {
            if (is_hard(args.saved_mean[c], inverse_deviation(variance[c], shape_.eps))) {
                two_pass_forward(shape_, args, threads_);
                return;
            }
        }
        const auto count = static_cast<double>(shape_.values_per_channel());
        for (std::int64_t c = 0; c < shape_.c; ++c) {
            finish_channel(shape_, args, c,
                           {.mean = static_cast<double>(args.saved_mean[c]),
                            .m2 = static_cast<double>(variance[c]) * count,
                            .count = count});
        }
    }

    void inference(const BatchNorm::Inference& args) override {
        const onednn::ThreadScope scope(threads_);
        point_at_inputs(args.x, args.gamma, args.running_mean, args.running_var);
        onednn::point(beta_, args.beta);
        onednn::point(y_, args.y);
        inference_.run(stream_, static_cast<std::byte*>(args.workspace) + plan_.scratch);
    }

    void backward(const BatchNorm::Backward& args) override {
        for (std::int64_t c = 0; c < shape_.c; ++c) {
            if (is_hard(args.saved_mean[c], static_cast<double>(args.saved_invstd[c]))) {
                channel_backward(shape_, args, threads_);
                return;
            }
        }
        const onednn::ThreadScope scope(threads_);
        auto* workspace = static_cast<std::byte*>(args.workspace);
        auto* variance = reinterpret_cast<float*>(workspace + plan_.variance);
        auto* dgamma_sum = reinterpret_cast<float*>(workspace + plan_.dgamma_sum);
        auto* dbeta_sum = reinterpret_cast<float*>(workspace + plan_.dbeta_sum);
        for (std::int64_t c = 0; c < shape_.c; ++c) {
            const auto invstd = static_cast<double>(args.saved_invstd[c]);
            variance[c] =
                static_cast<float>(1 / (invstd * invstd) - static_cast<double>(shape_.eps));
        }
        point_at_inputs(args.x, args.gamma, args.saved_mean, variance);
        onednn::point(dy_, args.dy);
        onednn::point(dx_, args.dx);
        onednn::point(dgamma_, args.accumulate ? dgamma_sum : args.dgamma);
        onednn::point(dbeta_, args.accumulate ? dbeta_sum : args.dbeta);
        backward_.run(stream_, workspace + plan_.scratch);
        if (args.accumulate) {
            onednn::add(dgamma_sum, args.dgamma, shape_.c, 1);
            onednn::add(dbeta_sum, args.dbeta, shape_.c, 1);
        }
    }

  private:
    // The error of a mean in float, in deviations, is about 1e-7 times this ratio.
    static bool is_hard(float mean, double invstd) {
        constexpr double most_deviations = 8;
        return std::abs(static_cast<double>(mean)) * invstd > most_deviations;
    }
    void point_at_inputs(const float* x, const float* gamma, const float* mean,
                         const float* variance) {
        onednn::point(x_, x);
        onednn::point(gamma_, gamma);
        onednn::point(mean_, mean);
        onednn::point(variance_, variance);
    }

    BatchNorm::Shape shape_;
    int threads_;
    Plan plan_;
    dnnl::stream stream_;
    memory x_, y_, dy_, dx_, gamma_, beta_, mean_, variance_, dgamma_, dbeta_;
    Call forward_, inference_, backward_;
};

onednn::Answer answer(const BatchNorm::Shape& shape, int threads) {
    static onednn::Answers<BatchNorm::Shape> answers(
        [](const BatchNorm::Shape& s, int t) { return Plan(s, t).bytes; });
    return answers.of(shape, threads);
}

const Registered<BatchNorm> registered{
    DeviceKind::cpu,
    {.name = "onednn",
     .description = "oneDNN's batch normalisation; where means are large, that of two_pass.",
     .preference = 5,
     .refuses = [](const BatchNorm::Shape& shape) { return answer(shape, 1).refusal; },
     .workspace_bytes =
         [](const BatchNorm::Shape& shape, const KernelContext& context) {
             return answer(shape, context.threads).workspace_bytes;
         },
     .make = [](const BatchNorm::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<BatchNorm::Kernel> {
         return std::make_unique<Onednn>(shape, context);
     }}};

}  // namespace
}  // namespace trainscope::cpu
