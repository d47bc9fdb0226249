// SPDX-License-Identifier: GPL-3.0-or-later
// The 8 x 8 results of a thread as four quadrants of 4 x 4: factors come from shared memory, and
// results go to device memory, in 128 bits at a time.
#pragma once

#include "engine/cuda/gemm/operand.h"

namespace trainscope::cuda::gemm {

// The values of both factors at one k that a thread multiplies.
struct Fragments {
    float4 a[2];
    float4 b[2];

    // Quadrants begin at `row` and `column` of the tile, the second ones `down` and `right`
    // further.
    template <unsigned down, unsigned right, class Slice>
    __device__ __forceinline__ void load(const Slice& a_slice, const Slice& b_slice, unsigned k,
                                         unsigned row, unsigned column) {
        a[0] = a_slice.four(k, row);
        a[1] = a_slice.four(k, row + down);
        b[0] = b_slice.four(k, column);
        b[1] = b_slice.four(k, column + right);
    }
};

struct Quadrants {
    float sums[8][8] = {};

    __device__ __forceinline__ void add(const Fragments& factors) {
        const float a[8] = {factors.a[0].x, factors.a[0].y, factors.a[0].z, factors.a[0].w,
                            factors.a[1].x, factors.a[1].y, factors.a[1].z, factors.a[1].w};
        const float b[8] = {factors.b[0].x, factors.b[0].y, factors.b[0].z, factors.b[0].w,
                            factors.b[1].x, factors.b[1].y, factors.b[1].z, factors.b[1].w};
        TRAINSCOPE_UNROLL
        for (unsigned i = 0; i < 8; ++i) {
            TRAINSCOPE_UNROLL
            for (unsigned j = 0; j < 8; ++j) {
                sums[i][j] += a[i] * b[j];
            }
        }
    }

    template <unsigned down, unsigned right, class Result>
    __device__ __forceinline__ void write(const Result& c, std::int64_t row,
                                          std::int64_t column) const {
        TRAINSCOPE_UNROLL
        for (unsigned i = 0; i < 8; ++i) {
            const std::int64_t r = row + i % 4 + i / 4 * down;
            TRAINSCOPE_UNROLL
            for (unsigned j = 0; j < 8; j += 4) {
                const std::int64_t q = column + j / 4 * right;
                if (r < c.rows && q < c.columns) {
                    c.put_four(
                        r, q,
                        make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]));
                }
            }
        }
    }
};

}  // namespace trainscope::cuda::gemm
