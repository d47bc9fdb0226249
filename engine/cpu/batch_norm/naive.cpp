// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norm `naive`: the first rung. One thread a channel; one pass for the mean, one for the
// variance around it, one to normalise; sums one value after the other, in double.
// Bound by the latency of the additions. Refuses nothing.
#include "engine/cpu/batch_norm/statistics.h"
#include "engine/cpu/parallel.h"
#include "engine/cpu/reduce.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope::cpu {
namespace {

class Naive final : public BatchNorm::Kernel {
  public:
    Naive(const BatchNorm::Shape& shape, const KernelContext& context)
        : shape_(shape), threads_(context.threads) {}

    void forward(const BatchNorm::Forward& args) override {
        for_channels([&](std::int64_t c) {
            const Normalization normalization =
                finish_channel(shape_, args, c, statistics(args.x, c));
            for_values(c, [&](std::int64_t i) { normalization.apply(args.x + i, args.y + i, 1); });
        });
    }

    void inference(const BatchNorm::Inference& args) override {
        for_channels([&](std::int64_t c) {
            const Normalization normalization = Normalization::of(
                static_cast<double>(args.running_mean[c]),
                inverse_deviation(static_cast<double>(args.running_var[c]), shape_.eps),
                args.gamma[c], args.beta[c]);
            for_values(c, [&](std::int64_t i) { normalization.apply(args.x + i, args.y + i, 1); });
        });
    }

    void backward(const BatchNorm::Backward& args) override {
        const auto count = static_cast<double>(shape_.values_per_channel());
        for_channels([&](std::int64_t c) {
            const double mean = static_cast<double>(args.saved_mean[c]);
            const double invstd = static_cast<double>(args.saved_invstd[c]);
            // The mean was cut to a float; the mean of what is left corrects it.
            double left = 0;
            for_values(c, [&](std::int64_t i) { left += args.x[i] - mean; });
            const double center = mean + left / count;
            double dbeta = 0;
            double dgamma = 0;
            for_values(c, [&](std::int64_t i) {
                dbeta += args.dy[i];
                dgamma += args.dy[i] * ((args.x[i] - center) * invstd);
            });
            const double scale = args.gamma[c] * invstd / count;
            for_values(c, [&](std::int64_t i) {
                const double xhat = (args.x[i] - center) * invstd;
                args.dx[i] =
                    static_cast<float>(scale * (count * args.dy[i] - dbeta - xhat * dgamma));
            });
            put(args.dgamma[c], dgamma, args.accumulate);
            put(args.dbeta[c], dbeta, args.accumulate);
        });
    }

  private:
    template <class Body>
    void for_channels(const Body& body) const {
        parallel_for(threads_, shape_.c, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t c = begin; c < end; ++c) {
                body(c);
            }
        });
    }
    template <class Body>
    void for_values(std::int64_t channel, const Body& body) const {
        const std::int64_t plane = shape_.h * shape_.w;
        for (std::int64_t n = 0; n < shape_.n; ++n) {
            const std::int64_t begin = (n * shape_.c + channel) * plane;
            for (std::int64_t i = begin; i < begin + plane; ++i) {
                body(i);
            }
        }
    }

    Statistics statistics(const float* x, std::int64_t channel) const {
        Statistics result{.count = static_cast<double>(shape_.values_per_channel())};
        for_values(channel, [&](std::int64_t i) { result.mean += x[i]; });
        result.mean /= result.count;
        for_values(channel, [&](std::int64_t i) {
            const double deviation = x[i] - result.mean;
            result.m2 += deviation * deviation;
        });
        return result;
    }

    BatchNorm::Shape shape_;
    int threads_;
};

const Registered<BatchNorm> registered{
    DeviceKind::cpu,
    {.name = "naive",
     .description = "One thread a channel, mean first, then the variance around it.",
     .refuses = [](const BatchNorm::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const BatchNorm::Shape&,
                           const KernelContext&) { return std::int64_t{0}; },
     .make = [](const BatchNorm::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<BatchNorm::Kernel> {
         return std::make_unique<Naive>(shape, context);
     }}};

}  // namespace
}  // namespace trainscope::cpu
