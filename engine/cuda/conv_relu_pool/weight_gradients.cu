// SPDX-License-Identifier: GPL-3.0-or-later
// dweight and dbias of the fused convolution in two stages, as convolution's: parts of the pooled
// rows into the workspace, then a tree. A block makes 64 taps of 32 filters, a thread one tap of
// eight filters, from rows of x and of winners in shared memory; the bias is one more tap, which
// meets ones.
#include "engine/cuda/conv_relu_pool/gradients.h"

namespace trainscope::cuda::conv_relu_pool {
namespace {

constexpr int lanes = 64;  // taps of a block
constexpr int filters_a_thread = 8;
constexpr int filters = 32;  // of a block
constexpr int depth = filters / filters_a_thread;
constexpr int columns_a_block = 32;
constexpr int pitch = filters + 1;  // so that winners that are written are not all in one bank
constexpr int winner_floats = 2 * columns_a_block * pitch;

// What of x lies under a block's taps and a pooled row: a channel's lines, each `width` values.
struct Lines {
    int channels, of_channel, width;

    explicit Lines(const Geometry& g)
        : channels((lanes - 1) / (g.r * g.s) + 2),
          of_channel(g.r + 1),
          // As many values more than a multiple of 32 as a row of the filter has: so that the taps
          // of a warp meet other banks.
          width(2 * columns_a_block + g.s) {}
    std::int64_t floats() const {
        return winner_floats + (std::int64_t{channels} * of_channel + 2) * width;
    }
};

// The taps and filters of a block. Taps are counted over all channels.
struct Block {
    int first_filter, first_tap, first_channel;

    __device__ Block(const Geometry& g, int tap_tiles, int index)
        : first_filter(index / tap_tiles * filters),
          first_tap(index % tap_tiles * lanes),
          first_channel(first_tap / g.taps()) {}
};

__device__ void load_inputs(const Geometry& g, const Lines& lines, const Block& b, const float* x,
                            std::int64_t n, int pooled_row, int first_column, float* tile) {
    const float* const planes = x + n * g.sample();
    const int left = 2 * first_column - g.pad_w;
    for (int line = static_cast<int>(threadIdx.y); line < lines.channels * lines.of_channel;
         line += depth) {
        const int c = b.first_channel + line / lines.of_channel;
        const int h = 2 * pooled_row - g.pad_h + line % lines.of_channel;
        const bool inside = c < g.c && h >= 0 && h < g.h;
        for (int i = static_cast<int>(threadIdx.x); i < lines.width; i += lanes) {
            const int w = left + i;
            tile[line * lines.width + i] =
                inside && w >= 0 && w < g.w ? planes[(c * g.h + h) * g.w + w] : 0.0F;
        }
    }
}

// -> [columns, filters], with places as steps in the lines of x.
__device__ void load_winners(const Geometry& g, const Lines& lines, const Block& b,
                             const ConvReluPool::Backward& args, std::int64_t n, int pooled_row,
                             int first_column, Winner* tile) {
    const int me = static_cast<int>(threadIdx.y) * lanes + static_cast<int>(threadIdx.x);
    const int column = me % columns_a_block;
    const int j = first_column + column;
    for (int f = me / columns_a_block; f < filters; f += lanes * depth / columns_a_block) {
        const int k = b.first_filter + f;
        Winner winner = no_winner;
        if (j < g.pooled_w && k < g.k) {
            winner = winner_at(args.dy, args.index,
                               (n * g.k + k) * g.pooled_plane() + pooled_row * g.pooled_w + j);
            winner.place = winner.place / 2 * lines.width + winner.place % 2;
        }
        tile[column * pitch + f] = winner;
    }
}

// Adds the products of one tap's inputs with eight filters' winners.
__device__ void add_columns(const float* inputs, const Winner* winners, int columns,
                            float (&sums)[filters_a_thread]) {
    float found[filters_a_thread] = {};
    for (int i = 0; i < columns; ++i) {
        TRAINSCOPE_UNROLL
        for (int f = 0; f < filters_a_thread; ++f) {
            const Winner winner = winners[i * pitch + f];
            found[f] += winner.dy * inputs[2 * i + winner.place];
        }
    }
    TRAINSCOPE_UNROLL
    for (int f = 0; f < filters_a_thread; ++f) {
        sums[f] += found[f];
    }
}

// The pooled rows of one part.
__device__ void add_rows(const Geometry& g, const Lines& lines, const Block& b,
                         const ConvReluPool::Backward& args, const conv2d::Splits& rows,
                         std::int64_t part, const float* mine, int my_filter, bool works,
                         Winner* winners, float* inputs, float (&sums)[filters_a_thread]) {
    const std::int64_t end = min((part + 1) * rows.rows, g.n * g.pooled_h);
    for (std::int64_t row = part * rows.rows; row < end; ++row) {
        const std::int64_t n = row / g.pooled_h;
        const int i = static_cast<int>(row - n * g.pooled_h);
        for (int j = 0; j < g.pooled_w; j += columns_a_block) {
            load_inputs(g, lines, b, args.x, n, i, j, inputs);
            load_winners(g, lines, b, args, n, i, j, winners);
            __syncthreads();
            if (works) {
                add_columns(mine, winners + my_filter, min(columns_a_block, g.pooled_w - j), sums);
            }
            __syncthreads();  // before the next values are written
        }
    }
}

// partial [parts, weights] and, for the bias, biases [parts, K].
__global__ void weight_parts(Geometry g, Lines lines, conv2d::Splits splits, int tap_tiles,
                             int blocks, ConvReluPool::Backward args, float* partial,
                             float* biases) {
    TRAINSCOPE_DYNAMIC_SHARED(float, shared);
    auto* const winners = reinterpret_cast<Winner*>(shared);
    float* const inputs = shared + winner_floats;
    float* const ones = inputs + lines.channels * lines.of_channel * lines.width;
    const int x = static_cast<int>(threadIdx.x);
    const int my_filter = static_cast<int>(threadIdx.y) * filters_a_thread;
    for (int i = x; threadIdx.y == 0 && i < 2 * lines.width; i += lanes) {
        ones[i] = 1.0F;
    }
    const int weights_of_filter = g.c * g.taps();
    for (int index = static_cast<int>(blockIdx.x); index < blocks;
         index += static_cast<int>(gridDim.x)) {
        const Block b(g, tap_tiles, index);
        const int tap = b.first_tap + x;
        const bool is_bias = tap == weights_of_filter;
        const int left = min(g.k - b.first_filter - my_filter, filters_a_thread);
        const bool works = left > 0 && (tap < weights_of_filter || (is_bias && biases != nullptr));
        const int line =
            (tap / g.taps() - b.first_channel) * lines.of_channel + tap % g.taps() / g.s;
        const float* const mine = is_bias ? ones : inputs + line * lines.width + tap % g.s;
        for (std::int64_t part = blockIdx.y; part < splits.parts; part += gridDim.y) {
            float sums[filters_a_thread] = {};
            add_rows(g, lines, b, args, splits, part, mine, my_filter, works, winners, inputs,
                     sums);
            TRAINSCOPE_UNROLL
            for (int f = 0; f < filters_a_thread; ++f) {
                const int k = b.first_filter + my_filter + f;
                if (works && f < left) {
                    (is_bias ? biases + part * g.k + k
                             : partial + part * g.weights + k * weights_of_filter + tap)[0] =
                        sums[f];
                }
            }
        }
    }
}

}  // namespace

bool weight_gradients_fit(const Geometry& geometry) {
    return Lines(geometry).floats() <= shared_floats;
}

conv2d::Splits splits_of(const ConvReluPool::Shape& shape) {
    return conv2d::split_rows(shape.conv.n * shape.pool.out_h(), shape.pool.out_w(),
                              shape.conv.weight_elements());
}

std::int64_t workspace_bytes(const ConvReluPool::Shape& shape) {
    return conv2d::partial_bytes(shape.conv, splits_of(shape));
}

void launch_weight_gradients(cudaStream_t stream, const Geometry& g, const conv2d::Splits& splits,
                             const ConvReluPool::Backward& args) {
    auto* const partial = static_cast<float*>(args.workspace);
    float* const biases =
        args.dbias == nullptr ? nullptr : partial + splits.parts * std::int64_t{g.weights};
    const Lines lines(g);
    const int taps = g.c * g.r * g.s + (biases == nullptr ? 0 : 1);
    const int tap_tiles = (taps + lanes - 1) / lanes;
    const int blocks = tap_tiles * ((g.k + filters - 1) / filters);
    launch(on(stream, dim3(blocks_for(blocks, 1), blocks_for(splits.parts, 1)), dim3(lanes, depth),
              static_cast<std::size_t>(lines.floats()) * sizeof(float)),
           weight_parts, g, lines, splits, tap_tiles, blocks, args, partial, biases);
    conv2d::add_parts(stream, partial, splits.parts, g.weights, args.dweight, args.accumulate);
    if (biases != nullptr) {
        conv2d::add_parts(stream, biases, splits.parts, g.k, args.dbias, args.accumulate);
    }
}

}  // namespace trainscope::cuda::conv_relu_pool
