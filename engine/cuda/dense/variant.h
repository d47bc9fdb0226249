// SPDX-License-Identifier: GPL-3.0-or-later
// A dense layer is three products of matrices; its upper rungs differ only in the kernel that
// multiplies (engine/cuda/gemm). This makes the variant of such a kernel.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "engine/cuda/dense/bias_gradient.h"
#include "engine/cuda/gemm/operand.h"
#include "engine/cuda/kernel.h"
#include "engine/ops/dense.h"

namespace trainscope::cuda::dense {

template <class Gemm>
class Products final : public Dense::Kernel {
  public:
    Products(const Dense::Shape& shape, cudaStream_t stream) : shape_(shape), stream_(stream) {}

    // y = x * weight^T
    void forward(const Dense::Forward& args) override {
        Gemm::run(stream_, gemm::along_depth(args.x, shape_.n, shape_.in),
                  gemm::along_depth(args.weight, shape_.out, shape_.in),
                  gemm::rows_of(args.y, shape_.n, shape_.out, args.bias), args.workspace);
    }
    // dweight = dy^T * x, dx = dy * weight
    void backward(const Dense::Backward& args) override {
        Gemm::run(stream_, gemm::along_lines(args.dy, shape_.out, shape_.n),
                  gemm::along_lines(args.x, shape_.in, shape_.n),
                  gemm::rows_of(args.dweight, shape_.out, shape_.in, nullptr, args.accumulate),
                  args.workspace);
        if (args.dbias != nullptr) {
            launch_bias_gradient(stream_, shape_, args);
        }
        if (args.dx != nullptr) {
            Gemm::run(stream_, gemm::along_depth(args.dy, shape_.n, shape_.out),
                      gemm::along_lines(args.weight, shape_.in, shape_.out),
                      gemm::rows_of(args.dx, shape_.n, shape_.in), args.workspace);
        }
    }

  private:
    Dense::Shape shape_;
    cudaStream_t stream_;
};

// What the largest of a layer's three products needs.
template <class Gemm>
std::int64_t workspace_bytes(const Dense::Shape& shape) {
    return std::max({Gemm::workspace_bytes(shape.n, shape.out, shape.in),
                     Gemm::workspace_bytes(shape.out, shape.in, shape.n),
                     Gemm::workspace_bytes(shape.n, shape.in, shape.out)});
}

// Whether the way forward keeps the greater part of a large card's multiprocessors busy; small
// tiles do better else.
template <class Gemm>
bool fills_device(const Dense::Shape& shape) {
    return Gemm::blocks(shape.n, shape.out, shape.in) >= 64;
}

template <class Gemm>
KernelVariant<Dense> variant(std::string name, std::string description, int preference) {
    return {.name = std::move(name),
            .description = std::move(description),
            .preference = preference,
            .preference_for_shape =
                [preference](const Dense::Shape& shape) {
                    return fills_device<Gemm>(shape) ? preference : preference / 8;
                },
            .refuses = [](const Dense::Shape&) { return std::nullopt; },
            .workspace_bytes = [](const Dense::Shape& shape,
                                  const KernelContext&) { return workspace_bytes<Gemm>(shape); },
            .make = [](const Dense::Shape& shape,
                       const KernelContext& context) -> std::unique_ptr<Dense::Kernel> {
                return std::make_unique<Products<Gemm>>(shape, stream_of(context));
            }};
}

}  // namespace trainscope::cuda::dense
