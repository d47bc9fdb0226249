// SPDX-License-Identifier: GPL-3.0-or-later
// The rungs of batch norm differ in how they reduce a channel. What they share is here: what is
// kept of the sums, the passes over single elements, and the kernel object of it all.
#pragma once

#include <source_location>
#include <string>

#include "engine/cuda/kernel.h"
#include "engine/cuda/warp.h"
#include "engine/ops/batch_norm.h"

namespace trainscope::cuda::batch_norm {

// The shape's own functions are the host's.
__device__ inline std::int64_t values_of_channel(const BatchNorm::Shape& shape) {
    return shape.n * shape.h * shape.w;
}

// A channel's statistics. What the float that is kept as the mean cuts off goes to `rest`: far from
// zero it is a good part of the deviation.
struct Statistics {
    float mean;
    float rest;
    float invstd;
};

// `m2` is the sum of squared differences from the mean.
__device__ inline Statistics statistics_of(const BatchNorm::Shape& shape, double mean, double m2) {
    const auto count = static_cast<double>(values_of_channel(shape));
    const auto kept = static_cast<float>(mean);
    return {kept, static_cast<float>(mean - static_cast<double>(kept)),
            static_cast<float>(1.0 / sqrt(m2 / count + static_cast<double>(shape.eps)))};
}

// Keeps a channel's statistics for the way back, moves its running values, and returns the
// statistics.
__device__ inline Statistics keep_statistics(const BatchNorm::Shape& shape,
                                             const BatchNorm::Forward& args, std::int64_t channel,
                                             double mean, double m2) {
    const Statistics found = statistics_of(shape, mean, m2);
    args.saved_mean[channel] = found.mean;
    args.saved_invstd[channel] = found.invstd;
    const auto count = static_cast<double>(values_of_channel(shape));
    const double momentum = static_cast<double>(shape.momentum);
    const auto moved = [momentum](float running, double batch) {
        return static_cast<float>((1.0 - momentum) * static_cast<double>(running) +
                                  momentum * batch);
    };
    args.running_mean[channel] = moved(args.running_mean[channel], mean);
    args.running_var[channel] = moved(args.running_var[channel], m2 / (count - 1.0));
    return found;
}

// What a channel's values add up to on the way back, with the mean as the float that was kept.
struct GradientSums {
    float dy = 0;
    float dy_xhat = 0;
    float xhat = 0;  // would be 0 with the exact mean: tells what the float cut off

    __device__ void add(float dy_of_value, float xhat_of_value) {
        dy += dy_of_value;
        dy_xhat += dy_of_value * xhat_of_value;
        xhat += xhat_of_value;
    }
    __device__ void operator+=(const GradientSums& other) {
        dy += other.dy;
        dy_xhat += other.dy_xhat;
        xhat += other.xhat;
    }
};

// The sums over a block of `threads` (a multiple of 32), in every thread. May be called again at
// once.
template <unsigned threads>
__device__ GradientSums block_sums(GradientSums mine) {
    constexpr unsigned warps = threads / warp_lanes;
    TRAINSCOPE_SHARED(float, of_warps, [3][warps]);
    mine = {warp_sum(mine.dy), warp_sum(mine.dy_xhat), warp_sum(mine.xhat)};
    __syncthreads();  // those of the call before may still be read
    if (threadIdx.x % warp_lanes == 0) {
        const unsigned warp = threadIdx.x / warp_lanes;
        of_warps[0][warp] = mine.dy;
        of_warps[1][warp] = mine.dy_xhat;
        of_warps[2][warp] = mine.xhat;
    }
    __syncthreads();
    GradientSums all;
    for (unsigned warp = 0; warp < warps; ++warp) {
        all += {of_warps[0][warp], of_warps[1][warp], of_warps[2][warp]};
    }
    return all;
}

// What the gradient at the input needs of a channel, beside its statistics.
struct ChannelGradients {
    float dbeta;
    float dgamma;
    float center;  // the mean of xhat, which the float that was kept as the mean leaves
};

__device__ inline ChannelGradients gradients_of(const BatchNorm::Shape& shape,
                                                const GradientSums& found) {
    const float center = found.xhat / static_cast<float>(values_of_channel(shape));
    return {found.dy, found.dy_xhat - center * found.dy, center};
}

// Writes or adds a channel's dbeta and dgamma.
__device__ inline void keep_gradients(const BatchNorm::Backward& args, std::int64_t channel,
                                      const ChannelGradients& found) {
    args.dbeta[channel] = args.accumulate ? args.dbeta[channel] + found.dbeta : found.dbeta;
    args.dgamma[channel] = args.accumulate ? args.dgamma[channel] + found.dgamma : found.dgamma;
}

// The same, and to `sums` [3, C] for the pass over single elements.
__device__ inline void keep_gradients(const BatchNorm::Shape& shape,
                                      const BatchNorm::Backward& args, std::int64_t channel,
                                      const GradientSums& sums_of_channel, float* sums) {
    const ChannelGradients found = gradients_of(shape, sums_of_channel);
    sums[channel] = found.dbeta;
    sums[shape.c + channel] = found.dgamma;
    sums[2 * shape.c + channel] = found.center;
    keep_gradients(args, channel, found);
}

// The kernel `gradients` of rungs with a block a channel: sum_channel(c), called by all of a block,
// gives what channel c adds up to, to the first thread at least.
template <class SumChannel>
__device__ void gradients_by_blocks(const BatchNorm::Shape& shape, const BatchNorm::Backward& args,
                                    float* sums, const SumChannel& sum_channel) {
    for (std::int64_t c = blockIdx.x; c < shape.c; c += gridDim.x) {
        const GradientSums all = sum_channel(c);
        if (threadIdx.x == 0) {
            keep_gradients(shape, args, c, all, sums);
        }
    }
}

// How a rung reduces: its two kernels, and the blocks they are launched in.
struct Reductions {
    // Calls keep_statistics for each channel, and writes what it cut off to `rests` [C].
    void (*statistics)(BatchNorm::Shape shape, BatchNorm::Forward args, float* rests);
    // Calls keep_gradients for each channel; `sums` [3, C].
    void (*gradients)(BatchNorm::Shape shape, BatchNorm::Backward args, float* sums);
    unsigned channels_a_block;
    unsigned threads;
};

// The variant with these reductions. Its workspace holds the rests on the way forward and the sums
// on the way back. Launches of the reductions are named by `at`: the rung's file.
KernelVariant<BatchNorm> variant(std::string name, std::string description, int preference,
                                 const Reductions& reductions,
                                 std::source_location at = std::source_location::current());

}  // namespace trainscope::cuda::batch_norm
