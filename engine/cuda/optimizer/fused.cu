// SPDX-License-Identifier: GPL-3.0-or-later
// Optimizer `fused`: one pass over all parameters updates parameter and state and sums the squared
// gradient in double: threads, then blocks, then a second kernel of one block over the blocks'
// sums, always in the same order. Loads of four values where everything starts at 16 bytes. Bound
// by memory: sgd moves 3, momentum 5, adam 7 floats a parameter.
#include "engine/cuda/kernel.h"
#include "engine/cuda/vector.h"
#include "engine/cuda/warp.h"
#include "engine/ops/optimizer.h"
#include "engine/ops/optimizer_step.h"

namespace trainscope::cuda {
namespace {

constexpr unsigned threads = 256;
constexpr unsigned most_blocks = 1024;         // fill a large card
constexpr unsigned parameters_of_thread = 16;  // four loads of four

// What the step goes by: values that the host gave with the launch, or those in device memory.
struct StepSource {
    OptimizerStep given;
    const OptimizerStep* in_memory;
    __device__ OptimizerStep get() const { return in_memory != nullptr ? *in_memory : given; }
};

struct Sgd {
    static constexpr int slots = state_slots(OptimizerKind::sgd);
    __device__ static void apply(const OptimizerStep& step, float g, float& w, float&, float&) {
        w -= step.rate * g;
    }
};

struct Momentum {
    static constexpr int slots = state_slots(OptimizerKind::momentum);
    __device__ static void apply(const OptimizerStep& step, float g, float& w, float& velocity,
                                 float&) {
        velocity = step.momentum * velocity + g;
        w -= step.rate * velocity;
    }
};

struct Adam {
    static constexpr int slots = state_slots(OptimizerKind::adam);
    __device__ static void apply(const OptimizerStep& step, float g, float& w, float& first,
                                 float& second) {
        first = step.beta1 * first + step.rest1 * g;
        second = step.beta2 * second + step.rest2 * (g * g);
        w = w * step.keep - step.adam_rate * first / (sqrtf(second) * step.root_scale + step.eps);
    }
};

struct Memory {
    float* parameters;
    const float* gradients;
    float* state0;
    float* state1;
};

// `width` neighbouring parameters; returns the sum of their squared gradients.
template <class Rule, unsigned width>
__device__ double update_unit(const OptimizerStep& step, const Memory& at, std::int64_t unit) {
    const Values<width> sums = load<width>(at.gradients, unit);
    Values<width> w = load<width>(at.parameters, unit);
    Values<width> state0 = {};
    Values<width> state1 = {};
    if constexpr (Rule::slots > 0) {
        state0 = load<width>(at.state0, unit);
    }
    if constexpr (Rule::slots > 1) {
        state1 = load<width>(at.state1, unit);
    }
    double squares = 0;
    TRAINSCOPE_UNROLL
    for (unsigned i = 0; i < width; ++i) {
        const auto sum = static_cast<double>(sums.of[i]);
        squares += sum * sum;
        Rule::apply(step, sums.of[i] * step.scale, w.of[i], state0.of[i], state1.of[i]);
    }
    store(at.parameters, unit, w);
    if constexpr (Rule::slots > 0) {
        store(at.state0, unit, state0);
    }
    if constexpr (Rule::slots > 1) {
        store(at.state1, unit, state1);
    }
    return squares;
}

// `squares`: a double a block.
template <class Rule, unsigned width>
__global__ void update(std::int64_t parameters, Memory at, StepSource source, double* squares) {
    const OptimizerStep step = source.get();
    const std::int64_t units = parameters / width;
    double mine = 0;
    for (std::int64_t unit = global_thread(); unit < units; unit += grid_threads()) {
        mine += update_unit<Rule, width>(step, at, unit);
    }
    const std::int64_t behind = units * width + global_thread();
    if (behind < parameters) {  // what is left of the last unit
        mine += update_unit<Rule, 1>(step, at, behind);
    }
    const double all = block_sum<double, threads>(mine);
    if (threadIdx.x == 0) {
        squares[blockIdx.x] = all;
    }
}

__global__ void add_squares(const double* squares, unsigned blocks, StepSource source,
                            double* squared_norm) {
    double mine = 0;
    for (unsigned block = threadIdx.x; block < blocks; block += threads) {
        mine += squares[block];
    }
    const double all = block_sum<double, threads>(mine);
    if (threadIdx.x == 0) {
        *squared_norm = all * source.get().squared_scale;
    }
}

unsigned blocks_of(const OptimizerUpdate::Shape& shape) {
    return blocks_for(shape.parameters, threads * parameters_of_thread, most_blocks);
}

class Fused final : public OptimizerUpdate::Kernel {
  public:
    Fused(const OptimizerUpdate::Shape& shape, cudaStream_t stream)
        : shape_(shape), stream_(stream), blocks_(blocks_of(shape)) {}

    void run(const OptimizerUpdate::Args& args) override {
        const StepSource step{OptimizerStep(args), args.values};
        auto* const squares = static_cast<double*>(args.workspace);
        switch (args.settings.kind) {
            case OptimizerKind::sgd:
                update_by<Sgd>(args, step, squares);
                break;
            case OptimizerKind::momentum:
                update_by<Momentum>(args, step, squares);
                break;
            case OptimizerKind::adam:
            case OptimizerKind::adamw:
                update_by<Adam>(args, step, squares);
                break;
        }
        launch(on(stream_, 1, threads), add_squares, squares, blocks_, step, args.squared_norm);
    }

  private:
    template <class Rule>
    void update_by(const OptimizerUpdate::Args& args, const StepSource& step, double* squares) {
        const Memory at{args.parameters, args.gradients, args.state0, args.state1};
        const bool in_vectors = are_aligned({at.parameters, at.gradients, at.state0, at.state1});
        launch(on(stream_, blocks_, threads),
               in_vectors ? update<Rule, vector_width> : update<Rule, 1>, shape_.parameters, at,
               step, squares);
    }

    OptimizerUpdate::Shape shape_;
    cudaStream_t stream_;
    unsigned blocks_;
};

const Registered<OptimizerUpdate> registered{
    device_kind,
    {.name = "fused",
     .description = "One pass over all parameters that also sums the gradient's norm.",
     .refuses = [](const OptimizerUpdate::Shape&) { return std::nullopt; },
     .workspace_bytes =
         [](const OptimizerUpdate::Shape& shape, const KernelContext&) {
             return blocks_of(shape) * static_cast<std::int64_t>(sizeof(double));
         },
     .make = [](const OptimizerUpdate::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<OptimizerUpdate::Kernel> {
         return std::make_unique<Fused>(shape, stream_of(context));
     }}};

}  // namespace
}  // namespace trainscope::cuda
