// SPDX-License-Identifier: GPL-3.0-or-later
// Dense layer `naive`: one thread a result, which reads a whole row and column from device memory.
// The first rung: nothing is shared between threads, so every value is read as often as it is used.
#include "engine/cuda/kernel.h"
#include "engine/cuda/long_sum.h"
#include "engine/ops/dense.h"

namespace trainscope::cuda {
namespace {

constexpr unsigned threads = 256;

__global__ void dense_forward(Dense::Shape shape, const float* x, const float* weight,
                              const float* bias, float* y) {
    for (std::int64_t i = global_thread(); i < shape.n * shape.out; i += grid_threads()) {
        const float* const row = x + i / shape.out * shape.in;
        const float* const filter = weight + i % shape.out * shape.in;
        const float sum = long_sum(shape.in, [&](std::int64_t k) { return row[k] * filter[k]; });
        y[i] = bias == nullptr ? sum : sum + bias[i % shape.out];
    }
}

__global__ void dense_input_gradient(Dense::Shape shape, const float* weight, const float* dy,
                                     float* dx) {
    for (std::int64_t i = global_thread(); i < shape.n * shape.in; i += grid_threads()) {
        const float* const row = dy + i / shape.in * shape.out;
        const float* const column = weight + i % shape.in;
        dx[i] = long_sum(shape.out, [&](std::int64_t k) { return row[k] * column[k * shape.in]; });
    }
}

__global__ void dense_weight_gradient(Dense::Shape shape, const float* x, const float* dy,
                                      float* dweight, float* dbias, bool accumulate) {
    for (std::int64_t i = global_thread(); i < shape.out * shape.in; i += grid_threads()) {
        const std::int64_t out = i / shape.in;
        const std::int64_t in = i % shape.in;
        const float sum = long_sum(shape.n, [&](std::int64_t n) {
            return dy[n * shape.out + out] * x[n * shape.in + in];
        });
        dweight[i] = accumulate ? dweight[i] + sum : sum;
    }
    for (std::int64_t out = global_thread(); dbias != nullptr && out < shape.out;
         out += grid_threads()) {
        const float sum =
            long_sum(shape.n, [&](std::int64_t n) { return dy[n * shape.out + out]; });
        dbias[out] = accumulate ? dbias[out] + sum : sum;
    }
}

class Naive final : public Dense::Kernel {
  public:
    Naive(const Dense::Shape& shape, cudaStream_t stream) : shape_(shape), stream_(stream) {}

    void forward(const Dense::Forward& args) override {
        launch(on(stream_, blocks_for(shape_.n * shape_.out, threads), threads), dense_forward,
               shape_, args.x, args.weight, args.bias, args.y);
    }
    void backward(const Dense::Backward& args) override {
        launch(on(stream_, blocks_for(shape_.out * shape_.in, threads), threads),
               dense_weight_gradient, shape_, args.x, args.dy, args.dweight, args.dbias,
               args.accumulate);
        if (args.dx != nullptr) {
            launch(on(stream_, blocks_for(shape_.n * shape_.in, threads), threads),
                   dense_input_gradient, shape_, args.weight, args.dy, args.dx);
        }
    }

  private:
    Dense::Shape shape_;
    cudaStream_t stream_;
};

const Registered<Dense> registered{
    device_kind,
    {.name = "naive",
     .description = "One thread a result, straight from device memory.",
     .refuses = [](const Dense::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const Dense::Shape&, const KernelContext&) { return std::int64_t{0}; },
     .make = [](const Dense::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<Dense::Kernel> {
         return std::make_unique<Naive>(shape, stream_of(context));
     }}};

}  // namespace
}  // namespace trainscope::cuda
