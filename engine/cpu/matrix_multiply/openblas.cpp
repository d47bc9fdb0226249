// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix product `openblas`: the library's sgemm, what our own rungs are measured against.
// Bound by multiplications. Refuses nothing.
#include "engine/cpu/openblas.h"

#include "engine/ops/kernel_variant.h"
#include "engine/ops/matrix_multiply.h"

namespace trainscope::cpu {
namespace {

class Library final : public MatrixMultiply::Kernel {
  public:
    Library(const MatrixMultiply::Shape& shape, const KernelContext& context)
        : m_(blas_size(shape.m)),
          n_(blas_size(shape.n)),
          k_(blas_size(shape.k)),
          threads_(context.threads) {}

    void run(const MatrixMultiply::Args& args) override {
        const OpenBlasThreads threads(threads_);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m_, n_, k_, 1, args.a, k_, args.b,
                    n_, 0, args.c, n_);
    }

  private:
    int m_, n_, k_;
    int threads_;
};

const Registered<MatrixMultiply> registered{
    DeviceKind::cpu,
    {.name = "openblas",
     .description = "OpenBLAS, a library tuned for each processor.",
     .preference = 20,
     .refuses = [](const MatrixMultiply::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const MatrixMultiply::Shape&,
                           const KernelContext&) { return std::int64_t{0}; },
     .make = [](const MatrixMultiply::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<MatrixMultiply::Kernel> {
         return std::make_unique<Library>(shape, context);
     }}};

}  // namespace
}  // namespace trainscope::cpu
