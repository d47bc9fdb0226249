// SPDX-License-Identifier: GPL-3.0-or-later
// The variant of a product's kernel (engine/cuda/gemm) as a matrix tool.
#pragma once

#include <string>
#include <utility>

#include "engine/cuda/gemm/operand.h"
#include "engine/cuda/kernel.h"
#include "engine/ops/matrix_multiply.h"

namespace trainscope::cuda::matrix_multiply {

template <class Gemm>
class Product final : public MatrixMultiply::Kernel {
  public:
    Product(const MatrixMultiply::Shape& shape, cudaStream_t stream)
        : shape_(shape), stream_(stream) {}

    void run(const MatrixMultiply::Args& args) override {
        Gemm::run(stream_, gemm::along_depth(args.a, shape_.m, shape_.k),
                  gemm::along_lines(args.b, shape_.n, shape_.k),
                  gemm::rows_of(args.c, shape_.m, shape_.n), args.workspace);
    }

  private:
    MatrixMultiply::Shape shape_;
    cudaStream_t stream_;
};

template <class Gemm>
KernelVariant<MatrixMultiply> variant(std::string name, std::string description, int preference) {
    return {.name = std::move(name),
            .description = std::move(description),
            .preference = preference,
            .refuses = [](const MatrixMultiply::Shape&) { return std::nullopt; },
            .workspace_bytes =
                [](const MatrixMultiply::Shape& s, const KernelContext&) {
                    return Gemm::workspace_bytes(s.m, s.n, s.k);
                },
            .make = [](const MatrixMultiply::Shape& shape,
                       const KernelContext& context) -> std::unique_ptr<MatrixMultiply::Kernel> {
                return std::make_unique<Product<Gemm>>(shape, stream_of(context));
            }};
}

}  // namespace trainscope::cuda::matrix_multiply
