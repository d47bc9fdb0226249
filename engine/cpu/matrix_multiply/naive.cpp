// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix product `naive`: the first rung, three plain loops around a sum in double, as the
// definition says. Rows go to threads.
// Bound by the latency of one addition after the other and by reads down the columns of B. Refuses
// nothing.
#include "engine/cpu/parallel.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/matrix_multiply.h"

namespace trainscope::cpu {
namespace {

class Naive final : public MatrixMultiply::Kernel {
  public:
    Naive(const MatrixMultiply::Shape& shape, const KernelContext& context)
        : shape_(shape), threads_(context.threads) {}

    void run(const MatrixMultiply::Args& args) override {
        parallel_for(threads_, shape_.m, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t row = begin; row < end; ++row) {
                for (std::int64_t column = 0; column < shape_.n; ++column) {
                    double total = 0;
                    for (std::int64_t k = 0; k < shape_.k; ++k) {
                        total += args.a[row * shape_.k + k] * args.b[k * shape_.n + column];
                    }
                    args.c[row * shape_.n + column] = static_cast<float>(total);
                }
            }
        });
    }

  private:
    MatrixMultiply::Shape shape_;
    int threads_;
};

const Registered<MatrixMultiply> registered{
    DeviceKind::cpu,
    {.name = "naive",
     .description = "Three plain loops, as the definition says.",
     .refuses = [](const MatrixMultiply::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const MatrixMultiply::Shape&,
                           const KernelContext&) { return std::int64_t{0}; },
     .make = [](const MatrixMultiply::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<MatrixMultiply::Kernel> {
         return std::make_unique<Naive>(shape, context);
     }}};

}  // namespace
}  // namespace trainscope::cpu
