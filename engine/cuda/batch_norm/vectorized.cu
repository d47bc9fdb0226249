// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norm `vectorized`: several blocks a channel, and loads of four values. Each way is two
// kernels: blocks reduce their part of a channel to the workspace; then each block merges the parts
// of its channel, all blocks in the same order, and goes over its own part once more. Over
// `shifted_single_pass` few channels fill a large card, a value costs a quarter of a load, the
// channel's factors are read once a block, and K is new every 128 values: a value far out spoils
// only its own run. Planes that four does not divide, and tensors off 16 bytes, go value by value.
#include "engine/cuda/batch_norm/moments.h"
#include "engine/cuda/batch_norm/tiles.h"
#include "engine/cuda/batch_norm/variant.h"
#include "engine/cuda/kernel.h"

namespace trainscope::cuda {
namespace {

// NOLINTNEXTLINE(google-build-using-namespace): what every line here is about
using namespace batch_norm;

constexpr unsigned threads = tile_threads;
// With smaller planes a warp's loads lie apart, and so do its stores, which the rungs below write
// side by side.
constexpr std::int64_t least_plane = 32;

// The moments of the next values of a walk, their mean from `offset`.
template <unsigned width>
__device__ Moments next_run(const float* x, float offset, Walk& at) {
    const float first = load<width>(x, at.place()).of[0];
    float count = 0;
    float differences = 0;
    float squares = 0;
    for (unsigned i = 0; i < run_length / width && at.goes_on(); ++i, at.next()) {
        const Values<width> values = load<width>(x, at.place());
        for (const float value : values.of) {
            const float difference = value - first;
            differences += difference;
            squares += difference * difference;
        }
        count += static_cast<float>(width);
    }
    const float mean = differences / count;
    const float m2 = squares - differences * mean;
    return {count, (first - offset) + mean, m2 < 0.0F ? 0.0F : m2};  // NaN stays
}

// The mean of each tile, from the channel's first value, and its squared differences.
template <unsigned width>
__global__ void partial_statistics(BatchNorm::Shape shape, std::int64_t parts, const float* x,
                                   float* means, float* m2s) {
    for (std::int64_t t = blockIdx.x; t < parts * shape.c; t += gridDim.x) {
        const Tile tile = tile_at(shape, t);
        const float offset = x[tile.channel * shape.h * shape.w];
        Moments mine;
        for (Walk at = walk<width>(shape, tile, parts); at.goes_on();) {
            mine.merge(next_run<width>(x, offset, at));
        }
        const Moments all = merge_block<threads>(mine);
        if (threadIdx.x == 0) {
            means[t] = all.mean;
            m2s[t] = all.m2;
        }
    }
}

// The moments of a whole channel, in the first warp.
template <unsigned width>
__device__ Moments merge_parts(const BatchNorm::Shape& shape, std::int64_t channel,
                               std::int64_t parts, const float* means, const float* m2s) {
    Moments mine;
    const std::int64_t part = threadIdx.x;
    if (part < parts) {
        const std::int64_t units =
            start_of_part<width>(shape, part + 1, parts) - start_of_part<width>(shape, part, parts);
        mine = {static_cast<float>(units * width), means[part * shape.c + channel],
                m2s[part * shape.c + channel]};
    }
    return merge_block<threads>(mine);
}

template <unsigned width>
__global__ void normalize(BatchNorm::Shape shape, std::int64_t parts, BatchNorm::Forward args,
                          const float* means, const float* m2s) {
    TRAINSCOPE_SHARED(Statistics, found, [1]);
    for (std::int64_t t = blockIdx.x; t < parts * shape.c; t += gridDim.x) {
        const Tile tile = tile_at(shape, t);
        const Moments all = merge_parts<width>(shape, tile.channel, parts, means, m2s);
        if (threadIdx.x == 0) {
            const float offset = args.x[tile.channel * shape.h * shape.w];
            const double mean = static_cast<double>(offset) + static_cast<double>(all.mean);
            const auto m2 = static_cast<double>(all.m2);
            found[0] = tile.part == 0 ? keep_statistics(shape, args, tile.channel, mean, m2)
                                      : statistics_of(shape, mean, m2);
        }
        __syncthreads();
        const Statistics statistics = found[0];
        const float scale = args.gamma[tile.channel] * statistics.invstd;
        const float beta = args.beta[tile.channel];
        for (Walk at = walk<width>(shape, tile, parts); at.goes_on(); at.next()) {
            Values<width> values = load<width>(args.x, at.place());
            for (float& value : values.of) {
                value = ((value - statistics.mean) - statistics.rest) * scale + beta;
            }
            store(args.y, at.place(), values);
        }
    }
}

template <unsigned width>
__global__ void normalize_by_running(BatchNorm::Shape shape, std::int64_t parts,
                                     BatchNorm::Inference args) {
    for (std::int64_t t = blockIdx.x; t < parts * shape.c; t += gridDim.x) {
        const Tile tile = tile_at(shape, t);
        const float mean = args.running_mean[tile.channel];
        const float scale =
            args.gamma[tile.channel] / sqrtf(args.running_var[tile.channel] + shape.eps);
        const float beta = args.beta[tile.channel];
        for (Walk at = walk<width>(shape, tile, parts); at.goes_on(); at.next()) {
            Values<width> values = load<width>(args.x, at.place());
            for (float& value : values.of) {
                value = (value - mean) * scale + beta;
            }
            store(args.y, at.place(), values);
        }
    }
}

// `sums` [3, parts, C].
template <unsigned width>
__global__ void partial_gradients(BatchNorm::Shape shape, std::int64_t parts,
                                  BatchNorm::Backward args, float* sums) {
    const std::int64_t tiles = parts * shape.c;
    for (std::int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        const Tile tile = tile_at(shape, t);
        const float mean = args.saved_mean[tile.channel];
        const float invstd = args.saved_invstd[tile.channel];
        const auto mine =
            sum_in_runs<GradientSums>(walk<width>(shape, tile, parts), run_length / width,
                                      [&](GradientSums& run, std::int64_t unit) {
                                          const Values<width> x = load<width>(args.x, unit);
                                          const Values<width> dy = load<width>(args.dy, unit);
                                          for (unsigned i = 0; i < width; ++i) {
                                              run.add(dy.of[i], (x.of[i] - mean) * invstd);
                                          }
                                      });
        const GradientSums all = block_sums<threads>(mine);
        if (threadIdx.x == 0) {
            sums[t] = all.dy;
            sums[tiles + t] = all.dy_xhat;
            sums[2 * tiles + t] = all.xhat;
        }
    }
}

// The sums of a whole channel, in every thread.
__device__ GradientSums sum_parts(const BatchNorm::Shape& shape, std::int64_t channel,
                                  std::int64_t parts, const float* sums) {
    GradientSums mine;
    const std::int64_t part = threadIdx.x;
    if (part < parts) {
        const std::int64_t tiles = parts * shape.c;
        const float* const of_part = sums + part * shape.c + channel;
        mine = {of_part[0], of_part[tiles], of_part[2 * tiles]};
    }
    return block_sums<threads>(mine);
}

template <unsigned width>
__global__ void input_gradient(BatchNorm::Shape shape, std::int64_t parts, BatchNorm::Backward args,
                               const float* sums) {
    const float share = 1.0F / static_cast<float>(values_of_channel(shape));
    for (std::int64_t t = blockIdx.x; t < parts * shape.c; t += gridDim.x) {
        const Tile tile = tile_at(shape, t);
        const ChannelGradients found =
            gradients_of(shape, sum_parts(shape, tile.channel, parts, sums));
        if (tile.part == 0 && threadIdx.x == 0) {
            keep_gradients(args, tile.channel, found);
        }
        const float mean = args.saved_mean[tile.channel];
        const float invstd = args.saved_invstd[tile.channel];
        const float scale = args.gamma[tile.channel] * invstd;
        const float dy_mean = share * found.dbeta;
        const float slope = share * found.dgamma;
        for (Walk at = walk<width>(shape, tile, parts); at.goes_on(); at.next()) {
            const Values<width> x = load<width>(args.x, at.place());
            Values<width> values = load<width>(args.dy, at.place());
            for (unsigned i = 0; i < width; ++i) {
                const float xhat = (x.of[i] - mean) * invstd - found.center;
                values.of[i] = scale * (values.of[i] - dy_mean - xhat * slope);
            }
            store(args.dx, at.place(), values);
        }
    }
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
        launch(on_tiles(),
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
        launch(on_tiles(), partial_statistics<width>, shape_, parts_, args.x, means, m2s);
        launch(on_tiles(), normalize<width>, shape_, parts_, args, means, m2s);
    }
    template <unsigned width>
    void backward_by(const BatchNorm::Backward& args) {
        auto* const sums = static_cast<float*>(args.workspace);
        launch(on_tiles(), partial_gradients<width>, shape_, parts_, args, sums);
        launch(on_tiles(), input_gradient<width>, shape_, parts_, args, sums);
    }
    Launch on_tiles(std::source_location at = std::source_location::current()) const {
        return on(stream_, blocks_for(parts_ * shape_.c, 1), threads, 0, at);
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
     .workspace_bytes =
         [](const BatchNorm::Shape& shape, const KernelContext&) {
             return 3 * parts_of(shape) * shape.c * static_cast<std::int64_t>(sizeof(float));
         },
     .make = [](const BatchNorm::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<BatchNorm::Kernel> {
         return std::make_unique<Vectorized>(shape, stream_of(context));
     }}};

}  // namespace
}  // namespace trainscope::cuda
