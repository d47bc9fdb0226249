// SPDX-License-Identifier: GPL-3.0-or-later
// dx of the fused convolution, gathered: a thread holds the sums of one place for four channels and
// goes over the windows whose outputs the place was part of. Each has one winner, which meets the
// place through at most one tap.
#include "engine/cuda/conv_relu_pool/gradients.h"
#include "engine/cuda/vector.h"

namespace trainscope::cuda::conv_relu_pool {
namespace {

constexpr int channels_a_thread = 4;
constexpr int most_stages = 8;  // filters in shared memory at a time

struct Plan {
    Tiling tiling;
    int windows_down, windows_across;  // that reach a tile, at most
    int stage;

    explicit Plan(const Geometry& g)
        : tiling(tiling_of(g.c, g.h, g.w, channels_a_thread, 8, 32)),
          windows_down((tiling.down + g.r - 1) / 2 + 1),
          windows_across((tiling.across + g.s - 1) / 2 + 1),
          stage(static_cast<int>(std::min({shared_floats / floats_of_filter(g),
                                           std::int64_t{most_stages}, std::int64_t{g.k}}))) {}
    std::int64_t floats_of_filter(const Geometry& g) const {
        return std::int64_t{channels_a_thread} * g.r * g.s +
               std::int64_t{2} * windows_down * windows_across;
    }
};

// The windows with an output that the place, which counts the padding, was part of.
__device__ inline conv2d::Span windows_over(int place, int taps, int windows) {
    return conv2d::windows_over(place, taps + 1, 2, windows);
}

// -> [count, taps, channels_a_thread]
__device__ void load_weights(const Geometry& g, const Tile& t, int first, int count,
                             const float* weight, float* tile) {
    const int threads = static_cast<int>(blockDim.x * blockDim.y);
    for (int i = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
         i < count * g.taps() * channels_a_thread; i += threads) {
        const int c = t.first_plane + i % channels_a_thread;
        const int tap = i / channels_a_thread % g.taps();
        const int k = first + i / channels_a_thread / g.taps();
        tile[i] = c < g.c ? weight[(k * g.c + c) * g.taps() + tap] : 0.0F;
    }
}

// -> [count, windows_down, windows_across], from the first windows that reach the tile.
__device__ void load_winners(const Geometry& g, const Plan& plan, const Tile& t, int first,
                             int count, const ConvReluPool::Backward& args, Winner* tile) {
    const int top = windows_over(t.top + g.pad_h, g.r, g.pooled_h).begin;
    const int left = windows_over(t.left + g.pad_w, g.s, g.pooled_w).begin;
    const std::int64_t planes = t.n * g.pooled_sample() + std::int64_t{first} * g.pooled_plane();
    for (int line = static_cast<int>(threadIdx.y); line < count * plan.windows_down;
         line += static_cast<int>(blockDim.y)) {
        const int i = top + line % plan.windows_down;
        const std::int64_t row =
            planes + (line / plan.windows_down) * g.pooled_plane() + i * g.pooled_w;
        for (int column = static_cast<int>(threadIdx.x); column < plan.windows_across;
             column += static_cast<int>(blockDim.x)) {
            const int j = left + column;
            tile[line * plan.windows_across + column] =
                i < g.pooled_h && j < g.pooled_w ? winner_at(args.dy, args.index, row + j)
                                                 : no_winner;
        }
    }
}

// What one filter's winners give to the place (row, column), which counts the padding. The windows
// in `winners` start where `rows` and `columns` do.
__device__ void add_filter(const Geometry& g, int row, int column, const conv2d::Span& rows,
                           const conv2d::Span& columns, int pitch, const Winner* winners,
                           const float* weights, float (&sums)[channels_a_thread]) {
    for (int i = rows.begin; i < rows.end; ++i) {
        const Winner* const line = winners + (i - rows.begin) * pitch - columns.begin;
        for (int j = columns.begin; j < columns.end; ++j) {
            const Winner winner = line[j];
            const int r = row - 2 * i - winner.place / 2;
            const int s = column - 2 * j - winner.place % 2;
            if (r < 0 || r >= g.r || s < 0 || s >= g.s) {
                continue;
            }
            const auto taps = load<channels_a_thread>(weights, r * g.s + s);
            TRAINSCOPE_UNROLL
            for (int c = 0; c < channels_a_thread; ++c) {
                sums[c] += winner.dy * taps.of[c];
            }
        }
    }
}

__global__ void input_gradient(Geometry g, Plan plan, ConvReluPool::Backward args) {
    TRAINSCOPE_DYNAMIC_SHARED(float, weights);
    auto* const winners =
        reinterpret_cast<Winner*>(weights + plan.stage * g.taps() * channels_a_thread);
    const int of_filter = plan.windows_down * plan.windows_across;
    const std::int64_t tiles = plan.tiling.tiles(g.n);
    for (std::int64_t index = blockIdx.x; index < tiles; index += gridDim.x) {
        const Tile t(plan.tiling, index);
        const int h = t.top + static_cast<int>(threadIdx.y);
        const int w = t.left + static_cast<int>(threadIdx.x);
        const conv2d::Span rows = windows_over(h + g.pad_h, g.r, g.pooled_h);
        const conv2d::Span columns = windows_over(w + g.pad_w, g.s, g.pooled_w);
        const Winner* const mine =
            winners +
            (rows.begin - windows_over(t.top + g.pad_h, g.r, g.pooled_h).begin) *
                plan.windows_across +
            columns.begin - windows_over(t.left + g.pad_w, g.s, g.pooled_w).begin;
        const bool inside = h < g.h && w < g.w;
        float sums[channels_a_thread] = {};
        for (int first = 0; first < g.k; first += plan.stage) {
            const int count = min(plan.stage, g.k - first);
            load_weights(g, t, first, count, args.weight, weights);
            load_winners(g, plan, t, first, count, args, winners);
            __syncthreads();
            for (int f = 0; inside && f < count; ++f) {
                add_filter(g, h + g.pad_h, w + g.pad_w, rows, columns, plan.windows_across,
                           mine + f * of_filter, weights + f * g.taps() * channels_a_thread, sums);
            }
            __syncthreads();  // before the next filters are written
        }
        for (int c = 0; inside && c < channels_a_thread && t.first_plane + c < g.c; ++c) {
            args.dx[t.n * g.sample() + (t.first_plane + c) * g.plane() + h * g.w + w] = sums[c];
        }
    }
}

}  // namespace

bool input_gradient_fits(const Geometry& geometry) {
    return Plan(geometry).stage > 0;
}

void launch_input_gradient(cudaStream_t stream, const Geometry& geometry,
                           const ConvReluPool::Backward& args) {
    const Plan plan(geometry);
    launch(
        on(stream, blocks_for(plan.tiling.tiles(geometry.n), 1, 65535), plan.tiling.threads(),
           static_cast<std::size_t>(plan.stage * plan.floats_of_filter(geometry)) * sizeof(float)),
        input_gradient, geometry, plan, args);
}

}  // namespace trainscope::cuda::conv_relu_pool
