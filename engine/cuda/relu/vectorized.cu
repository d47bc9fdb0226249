// SPDX-License-Identifier: GPL-3.0-or-later
// ReLU `vectorized`: four elements a load. Over `grid_stride` a quarter of the instructions for the
// same bytes; what four does not divide, and tensors off 16 bytes, go one by one.
#include "engine/cuda/kernel.h"
#include "engine/cuda/vector.h"
#include "engine/ops/relu.h"

namespace trainscope::cuda {
namespace {

constexpr unsigned threads = 256;

// Zero where `sign` is not above zero; NaN fails the comparison and passes.
__device__ float pass(float sign, float value) {
    return sign <= 0.0F ? 0.0F : value;
}

// to = from where `sign` is above zero: forward, both are x.
template <unsigned width>
__global__ void pass_positive(const float* sign, const float* from, float* to,
                              std::int64_t elements) {
    for (std::int64_t i = global_thread(); i < elements / width; i += grid_threads()) {
        const Values<width> signs = load<width>(sign, i);
        Values<width> values = load<width>(from, i);
        for (unsigned k = 0; k < width; ++k) {
            values.of[k] = pass(signs.of[k], values.of[k]);
        }
        store(to, i, values);
    }
    const std::int64_t rest = elements / width * width + global_thread();
    if (rest < elements) {  // fewer than width: the first threads' part
        to[rest] = pass(sign[rest], from[rest]);
    }
}

class Vectorized final : public Relu::Kernel {
  public:
    Vectorized(const Relu::Shape& shape, cudaStream_t stream) : shape_(shape), stream_(stream) {}

    void forward(const float* x, float* y) override { pass_to(x, x, y); }
    void backward(const float* y, const float* dy, float* dx) override { pass_to(y, dy, dx); }

  private:
    void pass_to(const float* sign, const float* from, float* to) {
        const bool vectors = are_aligned({sign, from, to});
        launch(on(stream_, blocks_for(shape_.elements / (vectors ? vector_width : 1), threads),
                  threads),
               vectors ? pass_positive<vector_width> : pass_positive<1>, sign, from, to,
               shape_.elements);
    }

    Relu::Shape shape_;
    cudaStream_t stream_;
};

const Registered<Relu> registered{
    device_kind,
    {.name = "vectorized",
     .description = "Four elements a load, in strides of the grid.",
     .preference = 10,
     .refuses = [](const Relu::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const Relu::Shape&, const KernelContext&) { return std::int64_t{0}; },
     .make = [](const Relu::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<Relu::Kernel> {
         return std::make_unique<Vectorized>(shape, stream_of(context));
     }}};

}  // namespace
}  // namespace trainscope::cuda
