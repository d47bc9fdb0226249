// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norm `fused_relu`: `vectorized` with the ReLU that follows it, an operator of its own
// (batch_norm_relu). Over the rung below, with a ReLU apart, what is normalised is not written,
// read and written again: 2 reads and 1 write instead of 3 and 2. Backward does not read it either:
// it computes it again from x, in both of its kernels, and passes dy where it is above zero: 4
// reads and 1 write instead of 6 and 2. Bound by these bytes. Sums are of what ReLU lets pass, so
// the bits that decide must be the same each time: fmaf leaves the compiler no choice of rounding,
// and what the float of the mean cuts off is saved beside it, a good part of a deviation far from
// zero.
#include "engine/cuda/batch_norm/parts.h"
#include "engine/ops/batch_norm_relu.h"

namespace trainscope::cuda {
namespace {

// NOLINTNEXTLINE(google-build-using-namespace): what every line here is about
using namespace batch_norm;

struct Normalization {
    Statistics statistics;
    float scale;
    float beta;

    __device__ float difference(float x) const { return (x - statistics.mean) - statistics.rest; }
    __device__ float normalized(float x) const { return fmaf(difference(x), scale, beta); }
    // ReLU lets NaN pass: it fails the comparison.
    __device__ float operator()(float x) const {
        const float y = normalized(x);
        return y <= 0.0F ? 0.0F : y;
    }
    __device__ Term operator()(float x, float dy) const {
        return {normalized(x) <= 0.0F ? 0.0F : dy, difference(x) * statistics.invstd};
    }
};

template <class Args>
__device__ auto normalization_by(const Args& args) {
    return [&args](const Statistics& statistics, const Tile& tile) {
        return Normalization{statistics, args.gamma[tile.channel] * statistics.invstd,
                             args.beta[tile.channel]};
    };
}
__device__ auto terms_by(const BatchNormRelu::Backward& args) {
    return [&args](std::int64_t channel) {
        const Statistics saved{args.norm.saved_mean[channel], args.saved_rest[channel],
                               args.norm.saved_invstd[channel]};
        return Normalization{saved, args.norm.gamma[channel] * saved.invstd, args.beta[channel]};
    };
}

template <unsigned width>
__global__ void partial_statistics(BatchNorm::Shape shape, std::int64_t parts, const float* x,
                                   float* means, float* m2s) {
    reduce_statistics<width>(shape, parts, x, means, m2s);
}

template <unsigned width>
__global__ void normalize(BatchNorm::Shape shape, std::int64_t parts, BatchNormRelu::Forward args,
                          const float* means, const float* m2s) {
    const auto normalization = normalization_by(args.norm);
    normalize_tiles<width>(shape, parts, args.norm, means, m2s,
                           [&](const Statistics& statistics, const Tile& tile) {
                               if (tile.part == 0 && threadIdx.x == 0) {
                                   args.saved_rest[tile.channel] = statistics.rest;
                               }
                               return normalization(statistics, tile);
                           });
}

template <unsigned width>
__global__ void normalize_by_running(BatchNorm::Shape shape, std::int64_t parts,
                                     BatchNormRelu::Inference args) {
    normalize_tiles_by_running<width>(shape, parts, args, normalization_by(args));
}

template <unsigned width>
__global__ void partial_gradients(BatchNorm::Shape shape, std::int64_t parts,
                                  BatchNormRelu::Backward args, float* sums) {
    reduce_gradients<width>(shape, parts, args.norm, sums, terms_by(args));
}

template <unsigned width>
__global__ void input_gradient(BatchNorm::Shape shape, std::int64_t parts,
                               BatchNormRelu::Backward args, const float* sums) {
    finish_gradients<width>(shape, parts, args.norm, sums, terms_by(args));
}

class FusedRelu final : public BatchNormRelu::Kernel {
  public:
    FusedRelu(const BatchNorm::Shape& shape, cudaStream_t stream)
        : shape_(shape), stream_(stream), parts_(parts_of(shape)) {}

    void forward(const BatchNormRelu::Forward& args) override {
        can_load_vectors(shape_, {args.norm.x, args.norm.y}) ? forward_by<vector_width>(args)
                                                             : forward_by<1>(args);
    }
    void inference(const BatchNormRelu::Inference& args) override {
        launch(on_tiles(shape_, parts_, stream_),
               can_load_vectors(shape_, {args.x, args.y}) ? normalize_by_running<vector_width>
                                                          : normalize_by_running<1>,
               shape_, parts_, args);
    }
    void backward(const BatchNormRelu::Backward& args) override {
        can_load_vectors(shape_, {args.norm.x, args.norm.dy, args.norm.dx})
            ? backward_by<vector_width>(args)
            : backward_by<1>(args);
    }

  private:
    template <unsigned width>
    void forward_by(const BatchNormRelu::Forward& args) {
        auto* const means = static_cast<float*>(args.norm.workspace);
        float* const m2s = means + parts_ * shape_.c;
        launch(on_tiles(shape_, parts_, stream_), partial_statistics<width>, shape_, parts_,
               args.norm.x, means, m2s);
        launch(on_tiles(shape_, parts_, stream_), normalize<width>, shape_, parts_, args, means,
               m2s);
    }
    template <unsigned width>
    void backward_by(const BatchNormRelu::Backward& args) {
        auto* const sums = static_cast<float*>(args.norm.workspace);
        launch(on_tiles(shape_, parts_, stream_), partial_gradients<width>, shape_, parts_, args,
               sums);
        launch(on_tiles(shape_, parts_, stream_), input_gradient<width>, shape_, parts_, args,
               sums);
    }

    BatchNorm::Shape shape_;
    cudaStream_t stream_;
    std::int64_t parts_;
};

const Registered<BatchNormRelu> registered{
    device_kind,
    {.name = "fused_relu",
     .description = "Batch norm and ReLU in one pass; backward normalises again instead of reading "
                    "what was written.",
     // Small planes are better off with another rung of batch norm, and ReLU apart.
     .preference_for_shape =
         [](const BatchNorm::Shape& shape) { return shape.h * shape.w < least_plane ? -1 : 10; },
     .refuses = [](const BatchNorm::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const BatchNorm::Shape& shape,
                           const KernelContext&) { return workspace_of_parts(shape); },
     .make = [](const BatchNorm::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<BatchNormRelu::Kernel> {
         return std::make_unique<FusedRelu>(shape, stream_of(context));
     }}};

}  // namespace
}  // namespace trainscope::cuda
