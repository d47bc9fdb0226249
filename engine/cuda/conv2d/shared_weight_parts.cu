// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/conv2d/eight_sums.h"
#include "engine/cuda/conv2d/shared_weight_parts.h"
#include "engine/cuda/kernel.h"

namespace trainscope::cuda::conv2d {

namespace {

constexpr int lanes = 64;  // taps of a block
constexpr int filters_a_thread = results_a_thread;
constexpr int filters = 32;  // of a block
constexpr int depth = filters / filters_a_thread;
constexpr int most_columns = 32;
// Rows of dy: aligned for float4, and not all in one bank when they are written.
constexpr int pitch = filters + 4;

// What of x lies under a block's taps: `pairs` of a channel and a row of the filter, for each a
// line of `width` values, under `columns` outputs.
struct Lines {
    int columns, pairs, width;

    std::int64_t floats() const {
        return std::int64_t{most_columns} * pitch + std::int64_t{pairs} * width;
    }
};

Lines lines_of(const Conv2d::Shape& shape) {
    const auto lines_for = [&shape](int columns) -> Lines {
        const std::int64_t pairs = (lanes - 1) / shape.s + 2;
        // As many values more than a multiple of 32 as a row of the filter has: so that the taps of
        // a warp meet other banks.
        const std::int64_t width = ((columns - 1) * shape.stride_w + 31) / 32 * 32 + shape.s;
        return {columns, static_cast<int>(pairs), static_cast<int>(width)};
    };
    Lines lines = lines_for(most_columns);
    while (lines.columns > 1 && lines.floats() > shared_floats) {
        lines = lines_for(lines.columns / 2);
    }
    return lines;
}

// The taps and filters of a block.
struct Block {
    int group, first_filter, first_tap;

    __device__ Block(const Geometry& g, int index) {
        const int tap_tiles = (g.group_c * g.taps() + lanes - 1) / lanes;
        const int filter_tiles = (g.group_k + filters - 1) / filters;
        first_tap = index % tap_tiles * lanes;
        first_filter = index / tap_tiles % filter_tiles * filters;
        group = index / tap_tiles / filter_tiles;
    }
};

__device__ void load_inputs(const Geometry& g, const Lines& lines, const Block& b, const float* x,
                            std::int64_t n, int oh, int first_ow, float* tile) {
    const float* const planes =
        x + n * g.sample() + static_cast<std::int64_t>(b.group) * g.group_c * g.plane();
    const int left = first_ow * g.stride_w - g.pad_w;
    for (int p = static_cast<int>(threadIdx.y); p < lines.pairs; p += depth) {
        const int pair = b.first_tap / g.s + p;
        const int c = pair / g.r;
        const int h = oh * g.stride_h - g.pad_h + pair % g.r;
        const bool inside = c < g.group_c && h >= 0 && h < g.h;
        for (int i = static_cast<int>(threadIdx.x); i < lines.width; i += lanes) {
            const int w = left + i;
            tile[p * lines.width + i] =
                inside && w >= 0 && w < g.w ? planes[(c * g.h + h) * g.w + w] : 0.0F;
        }
    }
}

// -> [columns, filters]
__device__ void load_gradients(const Geometry& g, const Block& b, const float* dy, std::int64_t n,
                               int oh, int first_ow, int columns, float* tile) {
    const int me = static_cast<int>(threadIdx.y) * lanes + static_cast<int>(threadIdx.x);
    const int ow = me % most_columns;
    for (int f = me / most_columns; f < filters; f += lanes * depth / most_columns) {
        const int in_group = b.first_filter + f;
        const int k = b.group * g.group_k + in_group;
        tile[ow * pitch + f] =
            ow < columns && in_group < g.group_k
                ? dy[(n * g.k + k) * g.out_plane() + oh * g.out_w + first_ow + ow]
                : 0.0F;
    }
}

// Adds the products of one tap's inputs, `stride` apart, with eight filters' dy.
__device__ void add_columns(const float* inputs, int stride, const float* gradients, int columns,
                            float (&sums)[filters_a_thread]) {
    float found[filters_a_thread] = {};
    for (int i = 0; i < columns; ++i) {
        add_products(inputs[i * stride], gradients + i * pitch, found);
    }
    add(found, sums);
}

__global__ void weight_parts(Geometry g, Lines lines, Splits splits, int blocks,
                             Conv2d::Backward args, float* partial) {
    TRAINSCOPE_DYNAMIC_SHARED(float, gradients);
    float* const inputs = gradients + most_columns * pitch;
    const int my_filter = static_cast<int>(threadIdx.y) * filters_a_thread;
    for (int index = static_cast<int>(blockIdx.x); index < blocks;
         index += static_cast<int>(gridDim.x)) {
        const Block b(g, index);
        const int tap = b.first_tap + static_cast<int>(threadIdx.x);
        const int left = min(g.group_k - b.first_filter - my_filter, filters_a_thread);
        const bool works = tap < g.group_c * g.taps() && left > 0;
        const float* const mine =
            inputs + (tap / g.s - b.first_tap / g.s) * lines.width + tap % g.s;
        for (std::int64_t part = blockIdx.y; part < splits.parts; part += gridDim.y) {
            const std::int64_t end = min((part + 1) * splits.rows, g.n * g.out_h);
            float sums[filters_a_thread] = {};
            for (std::int64_t row = part * splits.rows; row < end; ++row) {
                const std::int64_t n = row / g.out_h;
                const int oh = static_cast<int>(row - n * g.out_h);
                for (int ow = 0; ow < g.out_w; ow += lines.columns) {
                    const int columns = min(lines.columns, g.out_w - ow);
                    load_inputs(g, lines, b, args.x, n, oh, ow, inputs);
                    load_gradients(g, b, args.dy, n, oh, ow, columns, gradients);
                    __syncthreads();
                    if (works) {
                        add_columns(mine, g.stride_w, gradients + my_filter, columns, sums);
                    }
                    __syncthreads();  // before the next values are written
                }
            }
            for (int f = 0; works && f < left; ++f) {
                const int k = b.group * g.group_k + b.first_filter + my_filter + f;
                partial[part * g.weights + k * g.group_c * g.taps() + tap] = sums[f];
            }
        }
    }
}

}  // namespace

bool fits_shared(const Conv2d::Shape& shape) {
    return lines_of(shape).floats() <= shared_floats;
}

void launch_shared_weight_parts(cudaStream_t stream, const Conv2d::Shape& shape,
                                const Splits& splits, const Conv2d::Backward& args,
                                float* partial) {
    const Geometry g = geometry_of(shape);
    const Lines lines = lines_of(shape);
    const int tap_tiles = (g.group_c * g.r * g.s + lanes - 1) / lanes;
    const int filter_tiles = (g.group_k + filters - 1) / filters;
    const int blocks = g.c / g.group_c * tap_tiles * filter_tiles;
    launch(on(stream, dim3(blocks_for(blocks, 1), blocks_for(splits.parts, 1)), dim3(lanes, depth),
              static_cast<std::size_t>(lines.floats()) * sizeof(float)),
           weight_parts, g, lines, splits, blocks, args, partial);
}

}  // namespace trainscope::cuda::conv2d
