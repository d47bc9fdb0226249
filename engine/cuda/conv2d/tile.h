// SPDX-License-Identifier: GPL-3.0-or-later
// The tile of a product of matrices as convolution's rungs compute it: 64 x 64 results of a block
// of 128 threads, each of which holds 8 x 4 of them in registers; 16 terms at a time in shared
// memory.
#pragma once

#include "engine/cuda/long_sum.h"

namespace trainscope::cuda::conv2d::product {

inline constexpr int tile = 64;
inline constexpr int terms = 16;     // of a step
inline constexpr int rows_each = 8;  // results of a thread
inline constexpr int columns_each = 4;
inline constexpr int threads = tile / rows_each * (tile / columns_each);
inline constexpr int steps_of_sum =
    terms_of_sum / terms;  // until sums are added to those of the steps before

// One term of a tile. The rest of it keeps terms that are written at once in other banks.
struct alignas(16) Line {
    float at[tile + 4];
};

__device__ inline void multiply_step(const Line* a, const Line* b, int row, int column,
                                     float (&sums)[rows_each][columns_each]) {
    for (int k = 0; k < terms; ++k) {
        const auto* const of_a = reinterpret_cast<const float4*>(&a[k].at[row]);
        const float4 low = of_a[0];
        const float4 high = of_a[1];
        const float4 of_b = *reinterpret_cast<const float4*>(&b[k].at[column]);
        const float down[rows_each] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
        const float across[columns_each] = {of_b.x, of_b.y, of_b.z, of_b.w};
        for (int i = 0; i < rows_each; ++i) {
            for (int j = 0; j < columns_each; ++j) {
                sums[i][j] += down[i] * across[j];
            }
        }
    }
}

__device__ inline void fold(float (&from)[rows_each][columns_each],
                            float (&to)[rows_each][columns_each]) {
    for (int i = 0; i < rows_each; ++i) {
        for (int j = 0; j < columns_each; ++j) {
            to[i][j] += from[i][j];
            from[i][j] = 0;
        }
    }
}

}  // namespace trainscope::cuda::conv2d::product
