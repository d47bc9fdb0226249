// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix product `shared_tiled`: a block computes a tile of 16 x 16 results and reads both factors
// tile by tile into shared memory, so that each value is read from device memory a sixteenth as
// often as in `naive`. Bound by the reads of shared memory, two for each multiplication.
#pragma once

#include "engine/cuda/gemm/parts.h"

namespace trainscope::cuda::gemm {

template <class A, class B, class Result>
__global__ void shared_tiled(A a, B b, Result c) {
    constexpr unsigned tile = 16;
    // One column more than a tile, so that threads of a warp reading down a column meet other
    // banks.
    TRAINSCOPE_SHARED(float, a_tile, [tile][tile + 1]);
    TRAINSCOPE_SHARED(float, b_tile, [tile][tile + 1]);
    const unsigned x = threadIdx.x;
    const unsigned y = threadIdx.y;
    const std::int64_t tiles_across = (c.columns + tile - 1) / tile;
    const std::int64_t tiles = tiles_across * ((c.rows + tile - 1) / tile);
    for (std::int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        const std::int64_t row = t / tiles_across * tile + y;
        const std::int64_t column = t % tiles_across * tile + x;
        float all = 0;
        float sum = 0;  // of the terms since `all`
        for (std::int64_t start = 0; start < a.depth; start += tile) {
            a_tile[y][x] = a.at(row, start + x);
            b_tile[y][x] = b.at(column, start + y);
            __syncthreads();
            for (unsigned k = 0; k < tile; ++k) {
                sum += a_tile[y][k] * b_tile[k][x];
            }
            if ((start + tile) % terms_of_sum == 0) {
                all += sum;
                sum = 0;
            }
            __syncthreads();
        }
        if (row < c.rows && column < c.columns) {
            c.put(row, column, all + sum);
        }
    }
}

struct SharedTiled : Tiles<16> {
    template <class A, class B, class Result>
    static void run(cudaStream_t stream, const A& a, const B& b, const Result& c,
                    void* /*workspace*/ = nullptr) {
        launch(on(stream, blocks_for(tiles(c.rows, c.columns), 1), dim3(tile, tile)),
               shared_tiled<A, B, Result>, a, b, c);
    }
};

}  // namespace trainscope::cuda::gemm
