// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise add `vectorized`: four elements a load, in strides of the grid. Bound by memory: two
// reads and a write an element. What four does not divide, and tensors off 16 bytes, go one by one.
#include "engine/cuda/kernel.h"
#include "engine/cuda/vector.h"
#include "engine/ops/add.h"

namespace trainscope::cuda {
namespace {

constexpr unsigned threads = 256;

template <unsigned width>
__global__ void add_elements(const float* a, const float* b, float* sum, std::int64_t elements) {
    for (std::int64_t i = global_thread(); i < elements / width; i += grid_threads()) {
        Values<width> values = load<width>(a, i);
        const Values<width> others = load<width>(b, i);
        for (unsigned k = 0; k < width; ++k) {
            values.of[k] += others.of[k];
        }
        store(sum, i, values);
    }
    const std::int64_t rest = elements / width * width + global_thread();
    if (rest < elements) {  // fewer than width: the first threads' part
        sum[rest] = a[rest] + b[rest];
    }
}

class Vectorized final : public Add::Kernel {
  public:
    Vectorized(const Add::Shape& shape, cudaStream_t stream) : shape_(shape), stream_(stream) {}

    void add(const float* a, const float* b, float* sum) override {
        const bool vectors = are_aligned({a, b, sum});
        launch(on(stream_, blocks_for(shape_.elements / (vectors ? vector_width : 1), threads),
                  threads),
               vectors ? add_elements<vector_width> : add_elements<1>, a, b, sum, shape_.elements);
    }

  private:
    Add::Shape shape_;
    cudaStream_t stream_;
};

const Registered<Add> registered{
    device_kind,
    {.name = "vectorized",
     .description = "Four elements a load, in strides of the grid.",
     .refuses = [](const Add::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const Add::Shape&, const KernelContext&) { return std::int64_t{0}; },
     .make = [](const Add::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<Add::Kernel> {
         return std::make_unique<Vectorized>(shape, stream_of(context));
     }}};

}  // namespace
}  // namespace trainscope::cuda
