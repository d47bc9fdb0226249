// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norm `vectorized`: several blocks a channel, and loads of four values. Each way is two
// kernels: blocks reduce their part of a channel to the workspace; then each block merges the parts
// of its channel, all blocks in the same order, and goes over its own part once more. Over
// `shifted_single_pass` few channels fill a large card, a value costs a quarter of a load, the
// channel's factors are read once a block, and K is new every 128 values: a value far out spoils
// only its own run. Planes that four does not divide, and tensors off 16 bytes, go value by value.
#include "engine/cuda/batch_norm/parts.h"

namespace trainscope::cuda {
namespace {

// NOLINTNEXTLINE(google-build-using-namespace): what every line here is about
using namespace batch_norm;

struct Normalization {
    Statistics statistics;
    float scale;
    float beta;

    __device__ float operator()(float x) const {
        return ((x - statistics.mean) - statistics.rest) * scale + beta;
    }
};
template <class Args>
__device__ auto normalization_by(const Args& args) {
    return [&args](const Statistics& statistics, const Tile& tile) {
        return Normalization{statistics, args.gamma[tile.channel] * statistics.invstd,
                             args.beta[tile.channel]};
    };
}

struct TermOf {
    float mean;
    float invstd;

    __device__ Term operator()(float x, float dy) const { return {dy, (x - mean) * invstd}; }
};
__device__ auto terms_by(const BatchNorm::Backward& args) {
    return [&args](std::int64_t channel) {
        return TermOf{args.saved_mean[channel], args.saved_invstd[channel]};
    };
}

template <unsigned width>
__global__ void partial_statistics(BatchNorm::Shape shape, std::int64_t parts, const float* x,
                                   float* means, float* m2s) {
    reduce_statistics<width>(shape, parts, x, means, m2s);
}

template <unsigned width>
__global__ void normalize(BatchNorm::Shape shape, std::int64_t parts, BatchNorm::Forward args,
                          const float* means, const float* m2s) {
    normalize_tiles<width>(shape, parts, args, means, m2s, normalization_by(args));
}

template <unsigned width>
__global__ void normalize_by_running(BatchNorm::Shape shape, std::int64_t parts,
                                     BatchNorm::Inference args) {
    normalize_tiles_by_running<width>(shape, parts, args, normalization_by(args));
}

template <unsigned width>
__global__ void partial_gradients(BatchNorm::Shape shape, std::int64_t parts,
                                  BatchNorm::Backward args, float* sums) {
    reduce_gradients<width>(shape, parts, args, sums, terms_by(args));
}

template <unsigned width>
__global__ void input_gradient(BatchNorm::Shape shape, std::int64_t parts, BatchNorm::Backward args,
                               const float* sums) {
    finish_gradients<width>(shape, parts, args, sums, terms_by(args));
}

class Vectorized final : public BatchNorm::Kernel {
  public:
    Vectorized(const BatchNorm::Shape& shape, cudaStream_t stream)
        : shape_(shape), stream_(stream), parts_(parts_of(shape)) {}

    void forward(const BatchNorm::Forward& args) override {
        can_load_vectors(shape_, {args.x, args.y}) ? forward_by<vector_width>(args)
                                                   : forward_by<1>(args);
    }
    void inference(const BatchNorm::Inference& args) override {
        launch(on_tiles(shape_, parts_, stream_),
               can_load_vectors(shape_, {args.x, args.y}) ? normalize_by_running<vector_width>
                                                          : normalize_by_running<1>,
               shape_, parts_, args);
    }
    void backward(const BatchNorm::Backward& args) override {
        can_load_vectors(shape_, {args.x, args.dy, args.dx}) ? backward_by<vector_width>(args)
                                                             : backward_by<1>(args);
    }

  private:
    template <unsigned width>
    void forward_by(const BatchNorm::Forward& args) {
        auto* const means = static_cast<float*>(args.workspace);
        float* const m2s = means + parts_ * shape_.c;
        launch(on_tiles(shape_, parts_, stream_), partial_statistics<width>, shape_, parts_, args.x,
               means, m2s);
        launch(on_tiles(shape_, parts_, stream_), normalize<width>, shape_, parts_, args, means,
               m2s);
    }
    template <unsigned width>
    void backward_by(const BatchNorm::Backward& args) {
        auto* const sums = static_cast<float*>(args.workspace);
        launch(on_tiles(shape_, parts_, stream_), partial_gradients<width>, shape_, parts_, args,
               sums);
        launch(on_tiles(shape_, parts_, stream_), input_gradient<width>, shape_, parts_, args,
               sums);
    }

    BatchNorm::Shape shape_;
    cudaStream_t stream_;
    std::int64_t parts_;
};

const Registered<BatchNorm> registered{
    device_kind,
    {.name = "vectorized",
     .description = "Several blocks a channel and loads of four values; two kernels each way.",
     .preference_for_shape =
         [](const BatchNorm::Shape& shape) { return shape.h * shape.w < least_plane ? 5 : 40; },
     .refuses = [](const BatchNorm::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const BatchNorm::Shape& shape,
                           const KernelContext&) { return workspace_of_parts(shape); },
     .make = [](const BatchNorm::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<BatchNorm::Kernel> {
         return std::make_unique<Vectorized>(shape, stream_of(context));
     }}};

}  // namespace
}  // namespace trainscope::cuda
