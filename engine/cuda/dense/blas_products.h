// SPDX-License-Identifier: GPL-3.0-or-later
// What the variants of a dense layer that NVIDIA's library multiplies share: the ways back. They
// differ in how y gets its bias.
#pragma once

#include "engine/cuda/blas.h"
#include "engine/cuda/dense/bias_gradient.h"
#include "engine/cuda/kernel.h"
#include "engine/ops/dense.h"

namespace trainscope::cuda::dense {

class BlasProducts : public Dense::Kernel {
  public:
    BlasProducts(const Dense::Shape& shape, const KernelContext& context, Arithmetic arithmetic)
        : shape_(shape),
          stream_(stream_of(context)),
          blas_(blas_of(context)),
          arithmetic_(arithmetic) {}

    // dweight = dy^T * x, dx = dy * weight
    void backward(const Dense::Backward& args) override {
        const auto [n, in, out, has_bias] = shape_;
        blas_.multiply({.rows = out,
                        .columns = in,
                        .depth = n,
                        .a = {args.dy, out, true},
                        .b = {args.x, in},
                        .c = args.dweight,
                        .c_stride = in,
                        .accumulate = args.accumulate},
                       arithmetic_, args.workspace);
        if (args.dbias != nullptr) {
            launch_bias_gradient(stream_, shape_, args);
        }
        if (args.dx != nullptr) {
            blas_.multiply({.rows = n,
                            .columns = in,
                            .depth = out,
                            .a = {args.dy, out},
                            .b = {args.weight, in},
                            .c = args.dx,
                            .c_stride = in},
                           arithmetic_, args.workspace);
        }
    }

  protected:
    Dense::Shape shape_;
    cudaStream_t stream_;
    Blas& blas_;
    Arithmetic arithmetic_;
};

}  // namespace trainscope::cuda::dense
