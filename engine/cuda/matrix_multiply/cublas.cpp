// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix product `cublas`: NVIDIA's library, the top rung that our own are measured against.
// `cublas_tf32` and `cublas_bf16` let the tensor cores round the factors to 10 and 7 bits behind
// the point: faster, and less exact by that; sums stay float32.
#include "engine/cuda/blas.h"
#include "engine/cuda/kernel.h"
#include "engine/ops/matrix_multiply.h"

namespace trainscope::cuda {
namespace {

class Library final : public MatrixMultiply::Kernel {
  public:
    Library(const MatrixMultiply::Shape& shape, const KernelContext& context, Arithmetic arithmetic)
        : shape_(shape), blas_(blas_of(context)), arithmetic_(arithmetic) {}

    void run(const MatrixMultiply::Args& args) override {
        blas_.multiply({.rows = shape_.m,
                        .columns = shape_.n,
                        .depth = shape_.k,
                        .a = {args.a, shape_.k},
                        .b = {args.b, shape_.n},
                        .c = args.c,
                        .c_stride = shape_.n},
                       arithmetic_, args.workspace);
    }

  private:
    MatrixMultiply::Shape shape_;
    Blas& blas_;
    Arithmetic arithmetic_;
};

KernelVariant<MatrixMultiply> variant(std::string name, std::string description,
                                      Arithmetic arithmetic) {
    return {.name = std::move(name),
            .description = std::move(description),
            .preference = 50,
            .refuses = [](const MatrixMultiply::Shape&) { return std::nullopt; },
            .workspace_bytes = [](const MatrixMultiply::Shape&,
                                  const KernelContext&) { return Blas::workspace_bytes; },
            .make = [arithmetic](const MatrixMultiply::Shape& shape, const KernelContext& context)
                -> std::unique_ptr<MatrixMultiply::Kernel> {
                return std::make_unique<Library>(shape, context, arithmetic);
            },
            .arithmetic = arithmetic};
}

const Registered<MatrixMultiply> registered_fp32{
    device_kind, variant("cublas", "NVIDIA's library in float32.", Arithmetic::fp32)};
const Registered<MatrixMultiply> registered_tf32{
    device_kind,
    variant("cublas_tf32", "NVIDIA's library on tensor cores: factors rounded to 10 bits.",
            Arithmetic::tf32)};
const Registered<MatrixMultiply> registered_bf16{
    device_kind,
    variant("cublas_bf16", "NVIDIA's library on tensor cores: factors rounded to 7 bits.",
            Arithmetic::bf16)};

}  // namespace
}  // namespace trainscope::cuda
