// SPDX-License-Identifier: GPL-3.0-or-later
// ReLU `vectorized`: one pass that the compiler vectorises, parallel over elements.
// Bound by memory: forward reads and writes each element once, backward reads two. Refuses nothing.
#include "engine/cpu/parallel.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/relu.h"

namespace trainscope::cpu {
namespace {

class Vectorized final : public Relu::Kernel {
  public:
    Vectorized(const Relu::Shape& shape, const KernelContext& context)
        : shape_(shape), threads_(context.threads) {}

    void forward(const float* x, float* y) override {
        parallel_for(threads_, shape_.elements, [=](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                y[i] = x[i] <= 0.0F ? 0.0F : x[i];  // NaN fails the comparison and stays
            }
        });
    }
    void backward(const float* y, const float* dy, float* dx) override {
        parallel_for(threads_, shape_.elements, [=](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const float gradient = dy[i];  // read in any case: else this is a branch
                dx[i] = y[i] <= 0.0F ? 0.0F : gradient;
            }
        });
    }

  private:
    Relu::Shape shape_;
    int threads_;
};

const Registered<Relu> registered{
    DeviceKind::cpu,
    {.name = "vectorized",
     .description = "One pass over the elements, vectorised and parallel.",
     .refuses = [](const Relu::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const Relu::Shape&, const KernelContext&) { return std::int64_t{0}; },
     .make = [](const Relu::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<Relu::Kernel> {
         return std::make_unique<Vectorized>(shape, context);
     }}};

}  // namespace
}  // namespace trainscope::cpu
