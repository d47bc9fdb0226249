// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/conv2d/products.h"
#include "engine/cuda/conv2d/tile.h"

namespace trainscope::cuda::conv2d {

using namespace product;  // NOLINT: the tile's measures

namespace {

// The tile that a block makes at a time.
struct Place {
    int row, column, group;
    std::int64_t item;

    __device__ Place(const Products& p, std::int64_t index) {
        const int row_tiles = (p.rows + tile - 1) / tile;
        const int column_tiles = (p.columns + tile - 1) / tile;
        row = static_cast<int>(index % row_tiles) * tile;
        index /= row_tiles;
        column = static_cast<int>(index % column_tiles) * tile;
        index /= column_tiles;
        group = static_cast<int>(index % p.groups);
        item = index / p.groups;
    }
};

// matrix[line * across + term * along] -> [terms, tile], zero outside.
template <bool along_terms>
__device__ void load(const float* matrix, std::int64_t across, std::int64_t along, int lines,
                     int count, Line* to) {
    for (int i = static_cast<int>(threadIdx.x); i < terms * tile; i += threads) {
        const int line = along_terms ? i / terms : i % tile;
        const int term = along_terms ? i % terms : i / tile;
        to[term].at[line] =
            line < lines && term < count ? matrix[line * across + term * along] : 0.0F;
    }
}

template <bool a_along_terms, bool b_along_terms>
__global__ void __launch_bounds__(threads) multiply(Products p, std::int64_t tiles) {
    TRAINSCOPE_SHARED(Line, a, [terms]);
    TRAINSCOPE_SHARED(Line, b, [terms]);
    const int me = static_cast<int>(threadIdx.x);
    const int row = me / (tile / columns_each) * rows_each;
    const int column = me % (tile / columns_each) * columns_each;
    for (std::int64_t index = blockIdx.x; index < tiles; index += gridDim.x) {
        const Place t(p, index);
        const bool works = t.row + row < p.rows && t.column + column < p.columns;
        const std::int64_t end = min((t.item + 1) * p.samples_each, p.samples);
        float sums[rows_each][columns_each] = {};
        float folded[rows_each][columns_each] = {};
        int step = 0;
        for (std::int64_t sample = t.item * p.samples_each; sample < end; ++sample) {
            const float* const of_a =
                p.a + sample * p.a_steps.sample + t.group * p.a_steps.group + t.row * p.a_steps.row;
            const float* const of_b = p.b + sample * p.b_steps.sample + t.group * p.b_steps.group +
                                      t.column * p.b_steps.along;
            for (int first = 0; first < p.terms; first += terms, ++step) {
                const int count = min(terms, p.terms - first);
                load<a_along_terms>(of_a + first * p.a_steps.along, p.a_steps.row, p.a_steps.along,
                                    p.rows - t.row, count, a);
                load<b_along_terms>(of_b + first * p.b_steps.row, p.b_steps.along, p.b_steps.row,
                                    p.columns - t.column, count, b);
                __syncthreads();
                if (works) {
                    multiply_step(a, b, row, column, sums);
                    if (step % steps_of_sum == steps_of_sum - 1) {
                        fold(sums, folded);
                    }
                }
                __syncthreads();  // before the next elements are written
            }
        }
        fold(sums, folded);
        float* const c = p.c + t.item * p.c_steps.sample + t.group * p.c_steps.group;
        TRAINSCOPE_UNROLL
        for (int i = 0; i < rows_each; ++i) {
            const int at = t.row + row + i;
            if (!works || at >= p.rows) {
                break;
            }
            const float bias = p.bias == nullptr ? 0.0F : p.bias[t.group * p.rows + at];
            TRAINSCOPE_UNROLL
            for (int j = 0; j < columns_each; ++j) {
                if (t.column + column + j < p.columns) {
                    c[at * p.c_steps.row + (t.column + column + j) * p.c_steps.along] =
                        folded[i][j] + bias;
                }
            }
        }
    }
}

}  // namespace

void launch_products(cudaStream_t stream, const Products& p) {
    const std::int64_t items = (p.samples + p.samples_each - 1) / p.samples_each;
    const std::int64_t tiles = std::int64_t{(p.rows + tile - 1) / tile} *
                               ((p.columns + tile - 1) / tile) * p.groups * items;
    const bool a_along_terms = p.a_steps.along == 1;
    const bool b_along_terms = p.b_steps.row == 1;
    auto* const kernel = a_along_terms
                             ? b_along_terms ? multiply<true, true> : multiply<true, false>
                         : b_along_terms ? multiply<false, true>
                                         : multiply<false, false>;
    launch(on(stream, blocks_for(tiles, 1, 65535), threads), kernel, p, tiles);
}

}  // namespace trainscope::cuda::conv2d
