// SPDX-License-Identifier: GPL-3.0-or-later
// The slice of a factor that a block holds in shared memory, [k][line], and the way there through
// registers: what is read can arrive while the block still computes with the slice before.
#pragma once

#include "engine/cuda/gemm/operand.h"

namespace trainscope::cuda::gemm {

template <unsigned lines, unsigned step>
struct alignas(16) Slice {
    // Rows begin 4 banks further each, and at 16 bytes: see Piece::store.
    static constexpr unsigned padding = 4;
    float at[step][lines + padding];

    __device__ __forceinline__ float4 four(unsigned k, unsigned line) const {
        return *reinterpret_cast<const float4*>(&at[k][line]);
    }
};

// A thread's share of a slice.
template <class Factor, unsigned lines, unsigned step, unsigned threads>
struct Piece {
    static constexpr unsigned count = lines * step / 4 / threads;
    static_assert(count * 4 * threads == lines * step && step % 8 == 0);
    float4 values[count];

    // Where the i-th four of this thread are. Along the depth two neighbouring threads read 8
    // values of a line (a whole sector of 32 bytes), a warp those of 16 lines; along lines a warp
    // reads 128 neighbours.
    __device__ __forceinline__ static unsigned line_of(unsigned i) {
        const unsigned at = i * threads + threadIdx.x;
        return Factor::along_depth ? at / 2 % lines : at * 4 % lines;
    }
    __device__ __forceinline__ static unsigned k_of(unsigned i) {
        const unsigned at = i * threads + threadIdx.x;
        return Factor::along_depth ? at % 2 * 4 + at / (2 * lines) * 8 : at * 4 / lines;
    }

    __device__ __forceinline__ void load(const Factor& factor, std::int64_t first_line,
                                         std::int64_t first_k) {
        TRAINSCOPE_UNROLL
        for (unsigned i = 0; i < count; ++i) {
            values[i] = factor.four(first_line + line_of(i), first_k + k_of(i));
        }
    }
    // Along the depth the four go to four rows. At a time a warp writes 16 neighbouring lines in
    // each of two rows that are 4 rows, so 16 banks, apart: 32 different banks.
    __device__ __forceinline__ void store(Slice<lines, step>& slice) const {
        TRAINSCOPE_UNROLL
        for (unsigned i = 0; i < count; ++i) {
            const unsigned line = line_of(i);
            const unsigned k = k_of(i);
            if constexpr (Factor::along_depth) {
                slice.at[k][line] = values[i].x;
                slice.at[k + 1][line] = values[i].y;
                slice.at[k + 2][line] = values[i].z;
                slice.at[k + 3][line] = values[i].w;
            } else {
                *reinterpret_cast<float4*>(&slice.at[k][line]) = values[i];
            }
        }
    }
};

}  // namespace trainscope::cuda::gemm
