// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norm `warp_welford`: a block a channel, one pass over the values. Each thread keeps count,
// mean and squared differences (Welford 1962); lanes merge theirs by shuffles and warps through
// shared memory (Chan, Golub and LeVeque 1979). Over `shared_tree` it reads x once instead of twice
// and has two barriers instead of nine.
#include "engine/cuda/batch_norm/channel.h"
#include "engine/cuda/batch_norm/variant.h"
#include "engine/cuda/kernel.h"
#include "engine/cuda/warp.h"

namespace trainscope::cuda {
namespace {

constexpr unsigned threads = 256;
constexpr unsigned warps = threads / warp_lanes;

struct Moments {
    float count = 0;
    float mean = 0;
    float m2 = 0;

    __device__ void add(float value) {
        count += 1.0F;
        const float difference = value - mean;
        mean += difference / count;
        m2 += difference * (value - mean);
    }
    __device__ void merge(float other_count, float other_mean, float other_m2) {
        const float total = count + other_count;
        if (total == 0.0F) {
            return;
        }
        const float share = other_count / total;
        const float difference = other_mean - mean;
        mean += difference * share;
        m2 += other_m2 + difference * difference * count * share;
        count = total;
    }
};

// The moments of the whole block, in its first warp.
__device__ Moments merge_block(Moments mine) {
    TRAINSCOPE_SHARED(float, of_warps, [3][warps]);
    for (unsigned lanes = warp_lanes / 2; lanes > 0; lanes /= 2) {
        const float count = __shfl_down_sync(all_lanes, mine.count, lanes);
        const float mean = __shfl_down_sync(all_lanes, mine.mean, lanes);
        const float m2 = __shfl_down_sync(all_lanes, mine.m2, lanes);
        mine.merge(count, mean, m2);
    }
    __syncthreads();  // those of the channel before may still be read
    if (threadIdx.x % warp_lanes == 0) {
        const unsigned warp = threadIdx.x / warp_lanes;
        of_warps[0][warp] = mine.count;
        of_warps[1][warp] = mine.mean;
        of_warps[2][warp] = mine.m2;
    }
    __syncthreads();
    Moments all;
    for (unsigned warp = 0; warp < warps; ++warp) {
        all.merge(of_warps[0][warp], of_warps[1][warp], of_warps[2][warp]);
    }
    return all;
}

__global__ void statistics(BatchNorm::Shape shape, BatchNorm::Forward args, float* rests) {
    for (std::int64_t c = blockIdx.x; c < shape.c; c += gridDim.x) {
        const float offset = args.x[c * shape.h * shape.w];  // keeps what is summed small
        Moments mine;
        batch_norm::for_channel(shape, c, threads,
                                [&](std::int64_t i) { mine.add(args.x[i] - offset); });
        const Moments all = merge_block(mine);
        if (threadIdx.x == 0) {
            batch_norm::keep_statistics(shape, args, c,
                                        static_cast<double>(offset) + static_cast<double>(all.mean),
                                        static_cast<double>(all.m2), rests);
        }
    }
}

__global__ void gradients(BatchNorm::Shape shape, BatchNorm::Backward args, float* sums) {
    for (std::int64_t c = blockIdx.x; c < shape.c; c += gridDim.x) {
        batch_norm::GradientSums mine;
        batch_norm::for_channel(shape, c, threads, [&](std::int64_t i) {
            mine.add(args.dy[i], (args.x[i] - args.saved_mean[c]) * args.saved_invstd[c]);
        });
        const batch_norm::GradientSums all{block_sum<float, threads>(mine.dy),
                                           block_sum<float, threads>(mine.dy_xhat),
                                           block_sum<float, threads>(mine.xhat)};
        if (threadIdx.x == 0) {
            batch_norm::keep_gradients(shape, args, c, all, sums);
        }
    }
}

const Registered<BatchNorm> registered{
    device_kind, batch_norm::variant(
                     "warp_welford",
                     "A block a channel, one pass: Welford in each thread, merged by shuffles.", 20,
                     {.statistics = statistics,
                      .gradients = gradients,
                      .channels_a_block = 1,
                      .threads = threads})};

}  // namespace
}  // namespace trainscope::cuda
