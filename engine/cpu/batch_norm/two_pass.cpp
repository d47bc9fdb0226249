// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norm `two_pass`: as `naive`, one thread a channel, but every pass goes along contiguous
// rows of H * W values in vectors, with several independent sums in float that move to double in
// time. Bound by the second cache, which holds a channel between its passes; by memory for channels
// larger than that. Rows shorter than a vector (dense inputs) are summed value by value. Refuses
// nothing.
#include "engine/cpu/batch_norm/channel.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope::cpu {
namespace {

class TwoPass final : public BatchNorm::Kernel {
  public:
    TwoPass(const BatchNorm::Shape& shape, const KernelContext& context)
        : shape_(shape), threads_(context.threads) {}

    void forward(const BatchNorm::Forward& args) override {
        two_pass_forward(shape_, args, threads_);
    }
    void inference(const BatchNorm::Inference& args) override {
        cpu::inference(shape_, args, threads_);
    }
    void backward(const BatchNorm::Backward& args) override {
        channel_backward(shape_, args, threads_);
    }

  private:
    BatchNorm::Shape shape_;
    int threads_;
};

const Registered<BatchNorm> registered{
    DeviceKind::cpu,
    {.name = "two_pass",
     .description = "Two vectorised passes along contiguous rows, one thread a channel.",
     .preference = 10,
     .refuses = [](const BatchNorm::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const BatchNorm::Shape&,
                           const KernelContext&) { return std::int64_t{0}; },
     .make = [](const BatchNorm::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<BatchNorm::Kernel> {
         return std::make_unique<TwoPass>(shape, context);
     }}};

}  // namespace
}  // namespace trainscope::cpu
