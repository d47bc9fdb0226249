// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix product `vectorized_double_buffered`: tiles as in `register_blocked`. It adds reads and
// writes of 128 bits, a quarter of the instructions (single values where a size or an address does
// not allow it), and a second buffer: the next slice travels from device memory while this one is
// multiplied, and one barrier a slice is enough. Bound by the reads of shared memory, of which a
// warp makes more than it must: its threads lie 2 x 16.
#pragma once

#include "engine/cuda/gemm/parts.h"
#include "engine/cuda/gemm/quadrants.h"
#include "engine/cuda/gemm/slice.h"

// All turns at once would take more registers than two blocks at a time leave a thread.
#ifdef TRAINSCOPE_EMULATED
#define TRAINSCOPE_UNROLL_TWO
#else
#define TRAINSCOPE_UNROLL_TWO _Pragma("unroll 2")
#endif

namespace trainscope::cuda::gemm {

struct VectorizedDoubleBuffered : Tiles<128> {
    static constexpr unsigned step = 8;  // of the depth, in shared memory at a time
    static_assert(terms_of_sum % step == 0);
    static constexpr unsigned side = 16;  // threads of a block, each way
    static constexpr unsigned threads = side * side;
    static constexpr unsigned half = tile / 2;  // from a thread's quadrants to its others

    using Buffer = Slice<tile, step>;
    template <class Factor>
    using Share = Piece<Factor, tile, step, threads>;

    // A quarter of a warp reads 8 neighbouring fours of b (all 32 banks once) and one of a.
    __device__ __forceinline__ static void multiply(const Buffer& a, const Buffer& b,
                                                    Quadrants& sums) {
        Fragments factors;
        TRAINSCOPE_UNROLL_TWO
        for (unsigned k = 0; k < step; ++k) {
            factors.load<half, half>(a, b, k, threadIdx.x / side * 4, threadIdx.x % side * 4);
            sums.add(factors);
        }
    }

    template <class A, class B, class Result>
    static void run(cudaStream_t stream, const A& a, const B& b, const Result& c,
                    void* workspace = nullptr);
};

template <class A, class B, class Result>
__global__ void __launch_bounds__(VectorizedDoubleBuffered::threads, 2)
    vectorized_double_buffered(A a, B b, Result c) {
    using Rung = VectorizedDoubleBuffered;
    TRAINSCOPE_SHARED(Rung::Buffer, a_buffers, [2]);
    TRAINSCOPE_SHARED(Rung::Buffer, b_buffers, [2]);
    Rung::Share<A> of_a;
    Rung::Share<B> of_b;
    const std::int64_t across = (c.columns + Rung::tile - 1) / Rung::tile;
    const std::int64_t tiles = across * ((c.rows + Rung::tile - 1) / Rung::tile);
    for (std::int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        const std::int64_t row = t / across * Rung::tile;
        const std::int64_t column = t % across * Rung::tile;
        for (std::int64_t first = 0; first < a.depth; first += terms_of_sum) {
            const std::int64_t end = min(first + terms_of_sum, a.depth);
            of_a.load(a, row, first);
            of_b.load(b, column, first);
            of_a.store(a_buffers[0]);
            of_b.store(b_buffers[0]);
            __syncthreads();
            Quadrants sums;
            unsigned now = 0;
            for (std::int64_t k = first + Rung::step; k < end; k += Rung::step) {
                of_a.load(a, row, k);
                of_b.load(b, column, k);
                Rung::multiply(a_buffers[now], b_buffers[now], sums);
                now = 1 - now;  // all have read it: they passed the barrier since
                of_a.store(a_buffers[now]);
                of_b.store(b_buffers[now]);
                __syncthreads();
            }
            Rung::multiply(a_buffers[now], b_buffers[now], sums);
            sums.write<Rung::half, Rung::half>(c.part(first), row + threadIdx.x / Rung::side * 4,
                                               column + threadIdx.x % Rung::side * 4);
            __syncthreads();  // before the next first slice is stored
        }
    }
}

template <class A, class B, class Result>
void VectorizedDoubleBuffered::run(cudaStream_t stream, const A& a, const B& b, const Result& c,
                                   void* /*workspace*/) {
    launch(on(stream, blocks_for(tiles(c.rows, c.columns), 1), threads),
           vectorized_double_buffered<A, B, Result>, a, b, c);
}

}  // namespace trainscope::cuda::gemm

#undef TRAINSCOPE_UNROLL_TWO
