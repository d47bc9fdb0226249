// SPDX-License-Identifier: GPL-3.0-or-later
// A thread of eight results: what it reads once from shared memory serves them all.
#pragma once

#include "engine/cuda/launch.h"

namespace trainscope::cuda::conv2d {

inline constexpr int results_a_thread = 8;
// What a block may have without asking the device for more.
inline constexpr std::int64_t shared_floats = 48 * 1024 / sizeof(float);

// Adds value times eight factors that lie side by side, from a multiple of 16 bytes on.
__device__ inline void add_products(float value, const float* factors,
                                    float (&sums)[results_a_thread]) {
    const auto* const four = reinterpret_cast<const float4*>(factors);
    const float4 low = four[0];
    const float4 high = four[1];
    sums[0] += value * low.x;
    sums[1] += value * low.y;
    sums[2] += value * low.z;
    sums[3] += value * low.w;
    sums[4] += value * high.x;
    sums[5] += value * high.y;
    sums[6] += value * high.z;
    sums[7] += value * high.w;
}

__device__ inline void add(const float (&more)[results_a_thread], float (&sums)[results_a_thread]) {
    for (int i = 0; i < results_a_thread; ++i) {
        sums[i] += more[i];
    }
}

}  // namespace trainscope::cuda::conv2d
