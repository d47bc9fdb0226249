// SPDX-License-Identifier: GPL-3.0-or-later
// The rungs of batch norm differ in how they reduce a channel. What they share is here: what is
// kept of the sums, the passes over single elements, and the kernel object of it all.
#pragma once

#include <source_location>
#include <string>

#include "engine/cuda/kernel.h"
#include "engine/ops/batch_norm.h"

namespace trainscope::cuda::batch_norm {

// The shape's own functions are the host's.
__device__ inline std::int64_t values_of_channel(const BatchNorm::Shape& shape) {
    return shape.n * shape.h * shape.w;
}

// Keeps mean and 1 / sqrt(var + eps) of a channel, and moves its running values; `m2` is the sum of
// squared differences from the mean. What the float that is kept cuts off the mean goes to
// `rests[channel]`: far from zero it is a good part of the deviation.
__device__ inline void keep_statistics(const BatchNorm::Shape& shape,
                                       const BatchNorm::Forward& args, std::int64_t channel,
                                       double mean, double m2, float* rests) {
    const auto count = static_cast<double>(values_of_channel(shape));
    const auto kept = static_cast<float>(mean);
    args.saved_mean[channel] = kept;
    rests[channel] = static_cast<float>(mean - static_cast<double>(kept));
    args.saved_invstd[channel] =
        static_cast<float>(1.0 / sqrt(m2 / count + static_cast<double>(shape.eps)));
    const double momentum = static_cast<double>(shape.momentum);
    const auto moved = [momentum](float running, double batch) {
        return static_cast<float>((1.0 - momentum) * static_cast<double>(running) +
                                  momentum * batch);
    };
    args.running_mean[channel] = moved(args.running_mean[channel], mean);
    args.running_var[channel] = moved(args.running_var[channel], m2 / (count - 1.0));
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

// This batch's dbeta, dgamma and the mean of xhat, for launch_input_gradient; and what becomes of
// the first two outside.
__device__ inline void keep_gradients(const BatchNorm::Shape& shape,
                                      const BatchNorm::Backward& args, std::int64_t channel,
                                      const GradientSums& found, float* sums) {
    const float center = found.xhat / static_cast<float>(values_of_channel(shape));
    const float dgamma = found.dy_xhat - center * found.dy;
    sums[channel] = found.dy;
    sums[shape.c + channel] = dgamma;
    sums[2 * shape.c + channel] = center;
    args.dbeta[channel] = args.accumulate ? args.dbeta[channel] + found.dy : found.dy;
    args.dgamma[channel] = args.accumulate ? args.dgamma[channel] + dgamma : dgamma;
}

// How a rung reduces: its two kernels, and the blocks they are launched in.
struct Reductions {
    // Calls keep_statistics for each channel; `rests` [C].
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
