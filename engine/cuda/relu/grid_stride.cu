// SPDX-License-Identifier: GPL-3.0-or-later
// ReLU `grid_stride`: one thread an element, in strides of the grid. Bound by memory: reads and
// writes each element once.
#include "engine/cuda/kernel.h"
#include "engine/ops/relu.h"

namespace trainscope::cuda {
namespace {

constexpr unsigned threads = 256;

__global__ void relu_forward(const float* x, float* y, std::int64_t elements) {
    for (std::int64_t i = global_thread(); i < elements; i += grid_threads()) {
        y[i] = x[i] <= 0.0F ? 0.0F : x[i];  // NaN fails the comparison and stays
    }
}

__global__ void relu_backward(const float* y, const float* dy, float* dx, std::int64_t elements) {
    for (std::int64_t i = global_thread(); i < elements; i += grid_threads()) {
        dx[i] = y[i] <= 0.0F ? 0.0F : dy[i];
    }
}

class GridStride final : public Relu::Kernel {
  public:
    GridStride(const Relu::Shape& shape, cudaStream_t stream) : shape_(shape), stream_(stream) {}

    void forward(const float* x, float* y) override {
        launch(on(stream_, blocks_for(shape_.elements, threads), threads), relu_forward, x, y,
               shape_.elements);
    }
    void backward(const float* y, const float* dy, float* dx) override {
        launch(on(stream_, blocks_for(shape_.elements, threads), threads), relu_backward, y, dy, dx,
               shape_.elements);
    }

  private:
    Relu::Shape shape_;
    cudaStream_t stream_;
};

const Registered<Relu> registered{
    device_kind,
    {.name = "grid_stride",
     .description = "One thread an element, in strides of the grid.",
     .refuses = [](const Relu::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const Relu::Shape&, const KernelContext&) { return std::int64_t{0}; },
     .make = [](const Relu::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<Relu::Kernel> {
         return std::make_unique<GridStride>(shape, stream_of(context));
     }}};

}  // namespace
}  // namespace trainscope::cuda
