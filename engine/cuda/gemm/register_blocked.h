// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix product `register_blocked`: a block of 256 threads computes a tile of 128 x 128 results,
// each thread 8 x 8 of them in registers. Over `shared_tiled` it adds that a value read from shared
// memory is used eight times: 16 reads for 64 multiplications instead of 128, and that one read
// from device memory is used 128 times instead of 16. Bound by the reads of shared memory and by
// waiting for device memory, which nothing overlaps yet.
#pragma once

#include "engine/cuda/gemm/parts.h"

namespace trainscope::cuda::gemm {

struct RegisterBlocked : Tiles<128> {
    static constexpr unsigned step = 8;  // of the depth, in shared memory at a time
    static_assert(terms_of_sum % step == 0);
    static constexpr unsigned side = 16;  // threads of a block, each way
    static constexpr unsigned threads = side * side;
    static constexpr unsigned own = tile / side;  // results of a thread, each way
    // A factor that lies along the depth is written to shared memory 8 values of k by 4 lines a
    // warp: rows 4 banks further each, those are 32 different banks.
    static constexpr unsigned padding = 4;
    using Slice = float[step][tile + padding];

    template <class Factor>
    __device__ __forceinline__ static void read(const Factor& factor, std::int64_t first_line,
                                                std::int64_t first_k, Slice& slice) {
        TRAINSCOPE_UNROLL
        for (unsigned i = 0; i < tile * step; i += threads) {
            const unsigned at = i + threadIdx.x;
            // Neighbouring threads read neighbours in memory.
            const unsigned line = Factor::along_depth ? at / step : at % tile;
            const unsigned k = Factor::along_depth ? at % step : at / tile;
            slice[k][line] = factor.at(first_line + line, first_k + k);
        }
    }

    // A thread's results are 16 rows and columns apart: threads of a warp read 16 neighbouring
    // values of b and 2 of a at a time, which never meet in a bank.
    __device__ __forceinline__ static void multiply(const Slice& a, const Slice& b,
                                                    float (&sums)[own][own]) {
        const unsigned x = threadIdx.x % side;
        const unsigned y = threadIdx.x / side;
        TRAINSCOPE_UNROLL
        for (unsigned k = 0; k < step; ++k) {
            float of_a[own];
            float of_b[own];
            TRAINSCOPE_UNROLL
            for (unsigned i = 0; i < own; ++i) {
                of_a[i] = a[k][y + side * i];
                of_b[i] = b[k][x + side * i];
            }
            TRAINSCOPE_UNROLL
            for (unsigned i = 0; i < own; ++i) {
                TRAINSCOPE_UNROLL
                for (unsigned j = 0; j < own; ++j) {
                    sums[i][j] += of_a[i] * of_b[j];
                }
            }
        }
    }

    template <class Result>
    __device__ __forceinline__ static void write(const Result& c, std::int64_t first_row,
                                                 std::int64_t first_column,
                                                 const float (&sums)[own][own]) {
        TRAINSCOPE_UNROLL
        for (unsigned i = 0; i < own; ++i) {
            const std::int64_t row = first_row + threadIdx.x / side + side * i;
            TRAINSCOPE_UNROLL
            for (unsigned j = 0; j < own; ++j) {
                const std::int64_t column = first_column + threadIdx.x % side + side * j;
                if (row < c.rows && column < c.columns) {
                    c.put(row, column, sums[i][j]);
                }
            }
        }
    }

    template <class A, class B, class Result>
    static void run(cudaStream_t stream, const A& a, const B& b, const Result& c,
                    void* workspace = nullptr);
};

template <class A, class B, class Result>
__global__ void __launch_bounds__(RegisterBlocked::threads, 2)
    register_blocked(A a, B b, Result c) {
    using Rung = RegisterBlocked;
    TRAINSCOPE_SHARED(float, a_slice, [Rung::step][Rung::tile + Rung::padding]);
    TRAINSCOPE_SHARED(float, b_slice, [Rung::step][Rung::tile + Rung::padding]);
    const std::int64_t across = (c.columns + Rung::tile - 1) / Rung::tile;
    const std::int64_t tiles = across * ((c.rows + Rung::tile - 1) / Rung::tile);
    for (std::int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        const std::int64_t row = t / across * Rung::tile;
        const std::int64_t column = t % across * Rung::tile;
        for (std::int64_t first = 0; first < a.depth; first += terms_of_sum) {
            const std::int64_t end = min(first + terms_of_sum, a.depth);
            float sums[Rung::own][Rung::own] = {};
            for (std::int64_t k = first; k < end; k += Rung::step) {
                Rung::read(a, row, k, a_slice);
                Rung::read(b, column, k, b_slice);
                __syncthreads();
                Rung::multiply(a_slice, b_slice, sums);
                __syncthreads();
            }
            Rung::write(c.part(first), row, column, sums);
        }
    }
}

template <class A, class B, class Result>
void RegisterBlocked::run(cudaStream_t stream, const A& a, const B& b, const Result& c,
                          void* /*workspace*/) {
    launch(on(stream, blocks_for(tiles(c.rows, c.columns), 1), threads),
           register_blocked<A, B, Result>, a, b, c);
}

}  // namespace trainscope::cuda::gemm
