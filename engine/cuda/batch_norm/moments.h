// SPDX-License-Identifier: GPL-3.0-or-later
// Count, mean and sum of squared differences from it, of values that were seen in parts: merged by
// the rule of Chan, Golub and LeVeque (1979).
#pragma once

#include "engine/cuda/launch.h"
#include "engine/cuda/warp.h"

namespace trainscope::cuda::batch_norm {

struct Moments {
    float count = 0;
    float mean = 0;
    float m2 = 0;

    __device__ void merge(const Moments& other) {
        const float total = count + other.count;
        if (total == 0.0F) {
            return;
        }
        const float share = other.count / total;
        const float difference = other.mean - mean;
        mean += difference * share;
        m2 += other.m2 + difference * difference * count * share;
        count = total;
    }
};

// The moments of a whole block of `threads` (a multiple of 32), in its first warp: lanes merge
// theirs by shuffles, warps through shared memory. May be called again at once.
template <unsigned threads>
__device__ Moments merge_block(Moments mine) {
    constexpr unsigned warps = threads / warp_lanes;
    TRAINSCOPE_SHARED(float, of_warps, [3][warps]);
    for (unsigned lanes = warp_lanes / 2; lanes > 0; lanes /= 2) {
        mine.merge({__shfl_down_sync(all_lanes, mine.count, lanes),
                    __shfl_down_sync(all_lanes, mine.mean, lanes),
                    __shfl_down_sync(all_lanes, mine.m2, lanes)});
    }
    __syncthreads();  // those of the call before may still be read
    if (threadIdx.x % warp_lanes == 0) {
        const unsigned warp = threadIdx.x / warp_lanes;
        of_warps[0][warp] = mine.count;
        of_warps[1][warp] = mine.mean;
        of_warps[2][warp] = mine.m2;
    }
    __syncthreads();
    Moments all;
    if (threadIdx.x < warp_lanes) {
        for (unsigned warp = 0; warp < warps; ++warp) {
            all.merge({of_warps[0][warp], of_warps[1][warp], of_warps[2][warp]});
        }
    }
    return all;
}

}  // namespace trainscope::cuda::batch_norm
