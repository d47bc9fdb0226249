// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix product `warp_tiled`: the block's tile of 128 x 128 is cut into warps' tiles of 32 x 64,
// and those into threads' quadrants. Over `vectorized_double_buffered` it adds that a warp's
// threads lie 4 x 8 instead of 2 x 16, so that it needs 96 values of shared memory for each k
// instead of 144, and that factors are on their way from there to registers while those before are
// multiplied, across slices too; and that a deep product of few tiles is cut into parts of the
// depth, for blocks that had nothing to do else. Bound by multiplications where tiles are many and
// deep.
#pragma once

#include "engine/cuda/gemm/parts.h"
#include "engine/cuda/gemm/quadrants.h"
#include "engine/cuda/gemm/slice.h"

namespace trainscope::cuda::gemm {

struct WarpTiled : Tiles<128> {
    static constexpr unsigned step = 8;  // of the depth, in shared memory at a time
    static_assert(terms_of_sum % step == 0);
    static constexpr unsigned threads = 256;
    static constexpr unsigned warp_rows = 32;  // results of a warp
    static constexpr unsigned warp_columns = 64;
    static constexpr unsigned warps_across = tile / warp_columns;
    static constexpr unsigned lanes_across = 8;  // 4 x 8 lanes
    // From a thread's quadrants to its others.
    static constexpr unsigned down = warp_rows / 2;
    static constexpr unsigned right = warp_columns / 2;

    using Buffer = Slice<tile, step>;
    template <class Factor>
    using Share = Piece<Factor, tile, step, threads>;

    // Where this thread's first quadrant begins in the tile. A quarter of a warp reads 8
    // neighbouring fours of b, all 32 banks once, and one of a; all quarters read the same of b.
    __device__ __forceinline__ static unsigned row() {
        return threadIdx.x / 32 / warps_across * warp_rows + threadIdx.x % 32 / lanes_across * 4;
    }
    __device__ __forceinline__ static unsigned column() {
        return threadIdx.x / 32 % warps_across * warp_columns + threadIdx.x % lanes_across * 4;
    }

    // All but the last k of a slice. `factors[0]` holds those of k = 0, then `factors[1]` those of
    // the last.
    __device__ __forceinline__ static void multiply(const Buffer& a, const Buffer& b,
                                                    Fragments (&factors)[2], Quadrants& sums) {
        static_assert(step % 2 == 0);
        TRAINSCOPE_UNROLL
        for (unsigned k = 1; k < step; ++k) {
            factors[k % 2].load<down, right>(a, b, k, row(), column());
            sums.add(factors[1 - k % 2]);
        }
    }

    // What a block is at. It lies in shared memory, read at each slice: the registers are needed
    // for sums and factors.
    struct Work {
        std::int64_t part;
        std::int64_t begin, end;   // of the depth
        std::int64_t row, column;  // of the tile's first result
    };

    static std::int64_t blocks(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
        const std::int64_t count = tiles(rows, columns);
        return count * parts_of(count, depth).count;
    }
    static std::int64_t workspace_bytes(std::int64_t rows, std::int64_t columns,
                                        std::int64_t depth) {
        const std::int64_t parts = parts_of(tiles(rows, columns), depth).count;
        return parts == 1 ? 0 : parts * rows * columns * static_cast<std::int64_t>(sizeof(float));
    }
    // Without a workspace no depth is cut.
    template <class A, class B, class Result>
    static void run(cudaStream_t stream, const A& a, const B& b, const Result& c,
                    void* workspace = nullptr);
};

template <class A, class B, class Result>
__global__ void __launch_bounds__(WarpTiled::threads, 2)
    warp_tiled(A a, B b, Result c, Parts parts) {
    using Rung = WarpTiled;
    TRAINSCOPE_SHARED(Rung::Buffer, a_buffers, [2]);
    TRAINSCOPE_SHARED(Rung::Buffer, b_buffers, [2]);
    Rung::Share<A> of_a;
    Rung::Share<B> of_b;
    Fragments factors[2];
    TRAINSCOPE_SHARED(Rung::Work, works, [1]);
    const Rung::Work& work = works[0];
    const std::int64_t across = (c.columns + Rung::tile - 1) / Rung::tile;
    const std::int64_t tiles = across * ((c.rows + Rung::tile - 1) / Rung::tile);
    // 32 bits, one register less: as many tiles have 2^46 results, more than any memory.
    for (unsigned t = blockIdx.x; t < tiles * parts.count; t += gridDim.x) {
        __syncthreads();  // all are done with the work before
        if (threadIdx.x == 0) {
            const std::int64_t part = t / tiles;
            works[0] = {part, part * parts.depth, min((part + 1) * parts.depth, a.depth),
                        t % tiles / across * Rung::tile, t % tiles % across * Rung::tile};
        }
        __syncthreads();
        for (std::int64_t first = work.begin; first < work.end; first += terms_of_sum) {
            of_a.load(a, work.row, first);
            of_b.load(b, work.column, first);
            of_a.store(a_buffers[0]);
            of_b.store(b_buffers[0]);
            __syncthreads();
            Quadrants sums;
            unsigned now = 0;
            factors[0].load<Rung::down, Rung::right>(a_buffers[0], b_buffers[0], 0, Rung::row(),
                                                     Rung::column());
            for (unsigned k = Rung::step; k < terms_of_sum && first + k < work.end;
                 k += Rung::step) {
                of_a.load(a, work.row, first + k);
                of_b.load(b, work.column, first + k);
                Rung::multiply(a_buffers[now], b_buffers[now], factors, sums);
                now = 1 - now;  // all have read it: they passed the barrier since
                of_a.store(a_buffers[now]);
                of_b.store(b_buffers[now]);
                __syncthreads();
                factors[0].load<Rung::down, Rung::right>(a_buffers[now], b_buffers[now], 0,
                                                         Rung::row(), Rung::column());
                sums.add(factors[1]);
            }
            Rung::multiply(a_buffers[now], b_buffers[now], factors, sums);
            sums.add(factors[1]);
            sums.write<Rung::down, Rung::right>(result_of(c, work.part).part(first - work.begin),
                                                work.row + Rung::row(),
                                                work.column + Rung::column());
            __syncthreads();  // before the next first slice is stored
        }
    }
}

template <class A, class B, class Result>
void WarpTiled::run(cudaStream_t stream, const A& a, const B& b, const Result& c, void* workspace) {
    const std::int64_t count = tiles(c.rows, c.columns);
    const Parts parts = parts_of(count, a.depth);
    if (workspace == nullptr || parts.count == 1) {
        launch(on(stream, blocks_for(count, 1), threads), warp_tiled<A, B, Result>, a, b, c,
               Parts{1, a.depth});
        return;
    }
    const PartRows sums = part_rows(workspace, c.rows, c.columns);
    launch(on(stream, blocks_for(count * parts.count, 1), threads), warp_tiled<A, B, PartRows>, a,
           b, sums, parts);
    launch(on(stream, blocks_for(c.rows * c.columns, threads), threads), add_parts<Result>, sums,
           parts.count, c);
}

}  // namespace trainscope::cuda::gemm
