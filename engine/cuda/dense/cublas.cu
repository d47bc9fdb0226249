// SPDX-License-Identifier: GPL-3.0-or-later
// Dense layer `cublas`: the three products by NVIDIA's library, which picks a kernel for the shape;
// the top rung that our own are measured against. It adds no bias, so y starts as the bias and the
// product is added to it. `cublas_tf32` and `cublas_bf16` let the tensor cores round the factors to
// 10 and 7 bits behind the point: faster, and less exact by that; sums stay float32.
#include "engine/cuda/dense/blas_products.h"

namespace trainscope::cuda {
namespace {

constexpr unsigned threads = 256;

__global__ void fill_rows(const float* bias, std::int64_t columns, std::int64_t size, float* y) {
    for (std::int64_t i = global_thread(); i < size; i += grid_threads()) {
        y[i] = bias[i % columns];
    }
}

class Cublas final : public dense::BlasProducts {
  public:
    using BlasProducts::BlasProducts;

    // y = x * weight^T + bias
    void forward(const Dense::Forward& args) override {
        const auto [n, in, out, has_bias] = shape_;
        if (args.bias != nullptr) {
            launch(on(stream_, blocks_for(n * out, threads), threads), fill_rows, args.bias, out,
                   n * out, args.y);
        }
        blas_.multiply({.rows = n,
                        .columns = out,
                        .depth = in,
                        .a = {args.x, in},
                        .b = {args.weight, in, true},
                        .c = args.y,
                        .c_stride = out,
                        .accumulate = args.bias != nullptr},
                       arithmetic_, args.workspace);
    }
};

KernelVariant<Dense> variant(std::string name, std::string description, Arithmetic arithmetic) {
    return {.name = std::move(name),
            .description = std::move(description),
            .preference_for_shape =
                [](const Dense::Shape& s) {
                    const std::int64_t values = s.n * s.in + s.in * s.out + s.n * s.out;
                    return is_worth_blas_workspace(values) ? 50 : -1;
                },
            .refuses = [](const Dense::Shape&) { return std::nullopt; },
            .workspace_bytes = [](const Dense::Shape&,
                                  const KernelContext&) { return Blas::workspace_bytes; },
            .make = [arithmetic](const Dense::Shape& shape,
                                 const KernelContext& context) -> std::unique_ptr<Dense::Kernel> {
                return std::make_unique<Cublas>(shape, context, arithmetic);
            },
            .arithmetic = arithmetic};
}

const Registered<Dense> registered_fp32{
    device_kind, variant("cublas", "NVIDIA's library in float32.", Arithmetic::fp32)};
const Registered<Dense> registered_tf32{
    device_kind,
    variant("cublas_tf32", "NVIDIA's library on tensor cores: factors rounded to 10 bits.",
            Arithmetic::tf32)};
const Registered<Dense> registered_bf16{
    device_kind,
    variant("cublas_bf16", "NVIDIA's library on tensor cores: factors rounded to 7 bits.",
            Arithmetic::bf16)};

}  // namespace
}  // namespace trainscope::cuda
