// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise add `vectorized`: one pass that the compiler vectorises, parallel over elements.
// Bound by memory: two reads and a write an element. Refuses nothing.
#include "engine/cpu/parallel.h"
#include "engine/ops/add.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope::cpu {
namespace {

class Vectorized final : public Add::Kernel {
  public:
    Vectorized(const Add::Shape& shape, const KernelContext& context)
        : shape_(shape), threads_(context.threads) {}

    void add(const float* a, const float* b, float* sum) override {
        parallel_for(threads_, shape_.elements, [=](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                sum[i] = a[i] + b[i];
            }
        });
    }

  private:
    Add::Shape shape_;
    int threads_;
};

const Registered<Add> registered{
    DeviceKind::cpu,
    {.name = "vectorized",
     .description = "One pass over the elements, vectorised and parallel.",
     .refuses = [](const Add::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const Add::Shape&, const KernelContext&) { return std::int64_t{0}; },
     .make = [](const Add::Shape& shape, const KernelContext& context)
         -> std::unique_ptr<Add::Kernel> { return std::make_unique<Vectorized>(shape, context); }}};

}  // namespace
}  // namespace trainscope::cpu
