// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norm `fused_relu`: `welford` with the ReLU that follows it, an operator of its own
// (batch_norm_relu). Over the rung below, with a ReLU apart, what is normalised is written once and
// not read again: backward computes it from x, which it reads in any case, and passes dy where it
// is above zero. Bound as `welford` is. Refuses nothing.
#include "engine/cpu/batch_norm/welford_passes.h"
#include "engine/ops/batch_norm_relu.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope::cpu {
namespace {

// One text for both ways, so that they decide alike. T: a float, or a vector of them.
template <class T>
T normalized(const Normalization& by, T x) {
    return (x - by.center) * by.scale + by.shift;
}
// `value` where y is above zero. NaN fails the comparison and passes.
template <class T>
T where_above_zero(T y, T value) {
    return y <= 0.0F ? T{} : value;
}

// Calls body.operator()<T>(i) for the offsets i of [at, at + count): T as row_sums has it.
template <class Body>
void for_values(std::int64_t at, std::int64_t count, const Body& body) {
    std::int64_t i = at;
    for (; i + vector_lanes <= at + count; i += vector_lanes) {
        body.template operator()<FloatVector>(i);
    }
    for (; i < at + count; ++i) {
        body.template operator()<float>(i);
    }
}
inline void store_as(float* to, FloatVector values) {
    store(to, values);
}
inline void store_as(float* to, float value) {
    *to = value;
}

void normalize_and_cut(const BatchNorm::Shape& shape, Part samples, std::int64_t channel,
                       const Normalization& by, const float* x, float* y) {
    for_rows(shape, samples, channel, [&](std::int64_t at, std::int64_t count) {
        for_values(at, count, [&]<class T>(std::int64_t i) {
            const T value = normalized(by, load_as<T>(x + i));
            store_as(y + i, where_above_zero(value, value));
        });
    });
}

struct Rectified {
    using Forward = BatchNormRelu::Forward;
    using Backward = BatchNormRelu::Backward;
    using Normalization = cpu::Normalization;
    struct InputGradient {
        cpu::InputGradient of_norm;
        Normalization normalization;
    };

    // Of what is saved alone, so that backward has the same.
    static Normalization saved(const float* mean, const float* rest, const float* invstd,
                               const float* gamma, const float* beta, std::int64_t channel) {
        return Normalization::of(
            static_cast<double>(mean[channel]) + static_cast<double>(rest[channel]),
            static_cast<double>(invstd[channel]), gamma[channel], beta[channel]);
    }
    static Normalization saved(const Backward& args, std::int64_t channel) {
        return saved(args.norm.saved_mean, args.saved_rest, args.norm.saved_invstd, args.norm.gamma,
                     args.beta, channel);
    }

    static Normalization finish(const BatchNorm::Shape& shape, const Forward& args,
                                std::int64_t channel, const Statistics& statistics) {
        finish_channel(shape, args.norm, channel, statistics);
        args.saved_rest[channel] = static_cast<float>(
            statistics.mean - static_cast<double>(args.norm.saved_mean[channel]));
        return saved(args.norm.saved_mean, args.saved_rest, args.norm.saved_invstd, args.norm.gamma,
                     args.norm.beta, channel);
    }
    static void normalize(const BatchNorm::Shape& shape, Part samples, std::int64_t channel,
                          const Normalization& normalization, const Forward& args) {
        normalize_and_cut(shape, samples, channel, normalization, args.norm.x, args.norm.y);
    }
    static GradientSums sums(const BatchNorm::Shape& shape, Part samples, std::int64_t channel,
                             const Backward& args) {
        const auto [left, dy, product] = row_sums<3>(
            rows_of(shape, samples, channel),
            [by = saved(args, channel), x = args.norm.x, dy = args.norm.dy,
             center = args.norm.saved_mean[channel]]<class T>(std::int64_t i) {
                const T value = load_as<T>(x + i);
                const T deviation = value - center;
                const T gradient = where_above_zero(normalized(by, value), load_as<T>(dy + i));
                return std::array<T, 3>{deviation, gradient, gradient * deviation};
            });
        return {left, dy, product};
    }
    static InputGradient finish_gradients(const BatchNorm::Shape& shape, const Backward& args,
                                          std::int64_t channel, const GradientSums& sums) {
        return {cpu::finish_gradients(shape, args.norm, channel, sums), saved(args, channel)};
    }
    static void input_gradient(const BatchNorm::Shape& shape, Part samples, std::int64_t channel,
                               const InputGradient& gradient, const Backward& args) {
        const cpu::InputGradient& of_norm = gradient.of_norm;
        const Normalization& by = gradient.normalization;
        const float* const x = args.norm.x;
        const float* const dy = args.norm.dy;
        float* const dx = args.norm.dx;
        for_rows(shape, samples, channel, [&](std::int64_t at, std::int64_t count) {
            for_values(at, count, [&]<class T>(std::int64_t i) {
                const T value = load_as<T>(x + i);
                const T passed = where_above_zero(normalized(by, value), load_as<T>(dy + i));
                store_as(dx + i, passed * of_norm.scale -
                                     ((value - of_norm.center) * of_norm.slope + of_norm.offset));
            });
        });
    }
};

class FusedRelu final : public BatchNormRelu::Kernel {
  public:
    FusedRelu(const BatchNorm::Shape& shape, const KernelContext& context)
        : shape_(shape), threads_(context.threads), passes_(shape, context.threads) {}

    void forward(const BatchNormRelu::Forward& args) override {
        passes_.forward(args.norm.x, args);
    }
    void inference(const BatchNormRelu::Inference& args) override {
        inference_by(shape_, args, threads_,
                     [&](Part samples, std::int64_t channel, const Normalization& by) {
                         normalize_and_cut(shape_, samples, channel, by, args.x, args.y);
                     });
    }
    void backward(const BatchNormRelu::Backward& args) override { passes_.backward(args); }

  private:
    BatchNorm::Shape shape_;
    int threads_;
    WelfordPasses<Rectified> passes_;
};

const Registered<BatchNormRelu> registered{
    DeviceKind::cpu,
    {.name = "fused_relu",
     .description = "Batch norm by Welford's rule and ReLU in one pass; backward normalises again "
                    "instead of reading what was written.",
     .preference = 10,
     .refuses = [](const BatchNorm::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const BatchNorm::Shape&,
                           const KernelContext&) { return std::int64_t{0}; },
     .make = [](const BatchNorm::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<BatchNormRelu::Kernel> {
         return std::make_unique<FusedRelu>(shape, context);
     }}};

}  // namespace
}  // namespace trainscope::cpu
