// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norm `welford`: mean and variance in a single pass, by Welford's rule in each lane of four
// vectors, the lanes then merged by Chan's rule. One read less than `two_pass`, and where there are
// fewer channels than threads the samples are cut among the threads and their partial statistics
// merged.
// Bound by the updates' chain of additions while a channel fits the cache, by memory above. Refuses
// nothing.
#include "engine/cpu/batch_norm/welford_passes.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope::cpu {
namespace {

struct Plain {
    using Forward = BatchNorm::Forward;
    using Backward = BatchNorm::Backward;
    using Normalization = cpu::Normalization;
    using InputGradient = cpu::InputGradient;

    static Normalization finish(const BatchNorm::Shape& shape, const Forward& args,
                                std::int64_t channel, const Statistics& statistics) {
        return finish_channel(shape, args, channel, statistics);
    }
    static void normalize(const BatchNorm::Shape& shape, Part samples, std::int64_t channel,
                          const Normalization& normalization, const Forward& args) {
        cpu::normalize(shape, samples, channel, normalization, args.x, args.y);
    }
    static GradientSums sums(const BatchNorm::Shape& shape, Part samples, std::int64_t channel,
                             const Backward& args) {
        return gradient_sums(shape, samples, channel, args);
    }
    static InputGradient finish_gradients(const BatchNorm::Shape& shape, const Backward& args,
                                          std::int64_t channel, const GradientSums& sums) {
        return cpu::finish_gradients(shape, args, channel, sums);
    }
    static void input_gradient(const BatchNorm::Shape& shape, Part samples, std::int64_t channel,
                               const InputGradient& gradient, const Backward& args) {
        cpu::input_gradient(shape, samples, channel, gradient, args);
    }
};

class Welford final : public BatchNorm::Kernel {
  public:
    Welford(const BatchNorm::Shape& shape, const KernelContext& context)
        : shape_(shape), threads_(context.threads), passes_(shape, context.threads) {}

    void forward(const BatchNorm::Forward& args) override { passes_.forward(args.x, args); }
    void inference(const BatchNorm::Inference& args) override {
        cpu::inference(shape_, args, threads_);
    }
    void backward(const BatchNorm::Backward& args) override { passes_.backward(args); }

  private:
    BatchNorm::Shape shape_;
    int threads_;
    WelfordPasses<Plain> passes_;
};

const Registered<BatchNorm> registered{
    DeviceKind::cpu,
    {.name = "welford",
     .description = "One vectorised pass by Welford's rule, merged by Chan's; cuts samples where "
                    "channels are few.",
     .preference = 20,
     .refuses = [](const BatchNorm::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const BatchNorm::Shape&,
                           const KernelContext&) { return std::int64_t{0}; },
     .make = [](const BatchNorm::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<BatchNorm::Kernel> {
         return std::make_unique<Welford>(shape, context);
     }}};

}  // namespace
}  // namespace trainscope::cpu
