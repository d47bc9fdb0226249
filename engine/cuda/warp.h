// SPDX-License-Identifier: GPL-3.0-or-later
// Reductions over the 32 lanes of a warp and over a block, for kernels in which all threads take
// part.
#pragma once

#include "engine/cuda/launch.h"

namespace trainscope::cuda {

inline constexpr unsigned warp_lanes = 32;
inline constexpr unsigned all_lanes = 0xFFFFFFFFU;

// The sum over a warp, in every lane.
template <class T>
__device__ T warp_sum(T value) {
    for (unsigned lanes = warp_lanes / 2; lanes > 0; lanes /= 2) {
        value += __shfl_xor_sync(all_lanes, value, static_cast<int>(lanes));
    }
    return value;
}

// The sum over a block of `threads` (a multiple of 32), in every thread. Starts and ends with a
// barrier where it must, so that it can be called again at once.
template <class T, unsigned threads>
__device__ T block_sum(T value) {
    TRAINSCOPE_SHARED(T, of_warps, [threads / warp_lanes]);
    value = warp_sum(value);
    __syncthreads();  // the sums of a call before may still be read
    if (threadIdx.x % warp_lanes == 0) {
        of_warps[threadIdx.x / warp_lanes] = value;
    }
    __syncthreads();
    T sum = 0;
    for (unsigned warp = 0; warp < threads / warp_lanes; ++warp) {
        sum += of_warps[warp];
    }
    return sum;
}

}  // namespace trainscope::cuda
