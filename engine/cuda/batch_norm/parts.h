// SPDX-License-Identifier: GPL-3.0-or-later
// Both ways of batch norm with several blocks a channel: blocks reduce their part of a channel to
// the workspace; then each block merges the parts of its channel, all blocks in the same order, and
// goes over its own part once more. Rungs differ in what they make of a value.
#pragma once

#include "engine/cuda/batch_norm/moments.h"
#include "engine/cuda/batch_norm/tiles.h"
#include "engine/cuda/batch_norm/variant.h"
#include "engine/cuda/kernel.h"

namespace trainscope::cuda::batch_norm {

// With smaller planes a warp's loads lie apart, and so do its stores, which rungs that go over
// single elements write side by side.
inline constexpr std::int64_t least_plane = 32;

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

// The mean of each tile, from the channel's first value, and its squared differences: `means` and
// `m2s` [parts, C].
template <unsigned width>
__device__ void reduce_statistics(const BatchNorm::Shape& shape, std::int64_t parts, const float* x,
                                  float* means, float* m2s) {
    for (std::int64_t t = blockIdx.x; t < parts * shape.c; t += gridDim.x) {
        const Tile tile = tile_at(shape, t);
        const float offset = x[tile.channel * shape.h * shape.w];
        Moments mine;
        for (Walk at = walk<width>(shape, tile, parts); at.goes_on();) {
            mine.merge(next_run<width>(x, offset, at));
        }
        const Moments all = merge_block<tile_threads>(mine);
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
    return merge_block<tile_threads>(mine);
}

// y = f(x) over a tile.
template <unsigned width, class Function>
__device__ void map_tile(const BatchNorm::Shape& shape, const Tile& tile, std::int64_t parts,
                         const float* x, float* y, const Function& function) {
    for (Walk at = walk<width>(shape, tile, parts); at.goes_on(); at.next()) {
        Values<width> values = load<width>(x, at.place());
        for (float& value : values.of) {
            value = function(value);
        }
        store(y, at.place(), values);
    }
}

// Keeps the statistics of each channel, and writes y = of_tile(statistics, tile)(x).
template <unsigned width, class OfTile>
__device__ void normalize_tiles(const BatchNorm::Shape& shape, std::int64_t parts,
                                const BatchNorm::Forward& args, const float* means,
                                const float* m2s, const OfTile& of_tile) {
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
        map_tile<width>(shape, tile, parts, args.x, args.y, of_tile(found[0], tile));
    }
}

// y = of_tile(statistics, tile)(x) with the running values as statistics.
template <unsigned width, class OfTile>
__device__ void normalize_tiles_by_running(const BatchNorm::Shape& shape, std::int64_t parts,
                                           const BatchNorm::Inference& args,
                                           const OfTile& of_tile) {
    for (std::int64_t t = blockIdx.x; t < parts * shape.c; t += gridDim.x) {
        const Tile tile = tile_at(shape, t);
        const Statistics statistics{args.running_mean[tile.channel], 0.0F,
                                    1.0F / sqrtf(args.running_var[tile.channel] + shape.eps)};
        map_tile<width>(shape, tile, parts, args.x, args.y, of_tile(statistics, tile));
    }
}

// What a value is on the way back: the gradient that arrives at batch norm, and xhat.
struct Term {
    float dy;
    float xhat;
};

// `sums` [3, parts, C] of of_channel(channel)(x, dy), a Term, over each tile.
template <unsigned width, class OfChannel>
__device__ void reduce_gradients(const BatchNorm::Shape& shape, std::int64_t parts,
                                 const BatchNorm::Backward& args, float* sums,
                                 const OfChannel& of_channel) {
    const std::int64_t tiles = parts * shape.c;
    for (std::int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        const Tile tile = tile_at(shape, t);
        const auto term_of = of_channel(tile.channel);
        const auto mine =
            sum_in_runs<GradientSums>(walk<width>(shape, tile, parts), run_length / width,
                                      [&](GradientSums& run, std::int64_t unit) {
                                          const Values<width> x = load<width>(args.x, unit);
                                          const Values<width> dy = load<width>(args.dy, unit);
                                          for (unsigned i = 0; i < width; ++i) {
                                              const Term term = term_of(x.of[i], dy.of[i]);
                                              run.add(term.dy, term.xhat);
                                          }
                                      });
        const GradientSums all = block_sums<tile_threads>(mine);
        if (threadIdx.x == 0) {
            sums[t] = all.dy;
            sums[tiles + t] = all.dy_xhat;
            sums[2 * tiles + t] = all.xhat;
        }
    }
}

// The sums of a whole channel, in every thread.
__device__ inline GradientSums sum_parts(const BatchNorm::Shape& shape, std::int64_t channel,
                                         std::int64_t parts, const float* sums) {
    GradientSums mine;
    const std::int64_t part = threadIdx.x;
    if (part < parts) {
        const std::int64_t tiles = parts * shape.c;
        const float* const of_part = sums + part * shape.c + channel;
        mine = {of_part[0], of_part[tiles], of_part[2 * tiles]};
    }
    return block_sums<tile_threads>(mine);
}

// Keeps the gradients of each channel, and writes dx.
template <unsigned width, class OfChannel>
__device__ void finish_gradients(const BatchNorm::Shape& shape, std::int64_t parts,
                                 const BatchNorm::Backward& args, const float* sums,
                                 const OfChannel& of_channel) {
    const float share = 1.0F / static_cast<float>(values_of_channel(shape));
    for (std::int64_t t = blockIdx.x; t < parts * shape.c; t += gridDim.x) {
        const Tile tile = tile_at(shape, t);
        const ChannelGradients found =
            gradients_of(shape, sum_parts(shape, tile.channel, parts, sums));
        if (tile.part == 0 && threadIdx.x == 0) {
            keep_gradients(args, tile.channel, found);
        }
        const auto term_of = of_channel(tile.channel);
        const float scale = args.gamma[tile.channel] * args.saved_invstd[tile.channel];
        const float dy_mean = share * found.dbeta;
        const float slope = share * found.dgamma;
        for (Walk at = walk<width>(shape, tile, parts); at.goes_on(); at.next()) {
            const Values<width> x = load<width>(args.x, at.place());
            Values<width> values = load<width>(args.dy, at.place());
            for (unsigned i = 0; i < width; ++i) {
                const Term term = term_of(x.of[i], values.of[i]);
                values.of[i] = scale * (term.dy - dy_mean - (term.xhat - found.center) * slope);
            }
            store(args.dx, at.place(), values);
        }
    }
}

// The launch of a kernel over all tiles, and the bytes that either way keeps in the workspace.
inline Launch on_tiles(const BatchNorm::Shape& shape, std::int64_t parts, cudaStream_t stream,
                       std::source_location at = std::source_location::current()) {
    return on(stream, blocks_for(parts * shape.c, 1), tile_threads, 0, at);
}
inline std::int64_t workspace_of_parts(const BatchNorm::Shape& shape) {
    return 3 * parts_of(shape) * shape.c * static_cast<std::int64_t>(sizeof(float));
}

}  // namespace trainscope::cuda::batch_norm
