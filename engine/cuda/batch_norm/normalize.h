// SPDX-License-Identifier: GPL-3.0-or-later
// What the rungs of batch norm share: the passes over single elements once a channel's statistics
// are known, and what is kept of those. The rungs differ in how they reduce.
#pragma once

#include "engine/cuda/launch.h"
#include "engine/ops/batch_norm.h"

namespace trainscope::cuda::batch_norm {

inline constexpr unsigned element_threads = 256;

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

// y = (x - mean - rest) * (gamma * invstd) + beta, with the saved statistics and their rests.
void launch_normalize(cudaStream_t stream, const BatchNorm::Shape& shape,
                      const BatchNorm::Forward& args, const float* rests);
// The same with the running ones.
void launch_inference(cudaStream_t stream, const BatchNorm::Shape& shape,
                      const BatchNorm::Inference& args);
// dx = gamma * invstd * (dy - dbeta / m - xhat * dgamma / m); `sums`: dbeta, dgamma and the mean of
// xhat of this batch alone, [3, C].
void launch_input_gradient(cudaStream_t stream, const BatchNorm::Shape& shape,
                           const BatchNorm::Backward& args, const float* sums);

// The workspace: the means' rests on the way forward, the sums on the way back.
inline std::int64_t workspace_bytes(const BatchNorm::Shape& shape) {
    return 3 * shape.c * static_cast<std::int64_t>(sizeof(float));
}

}  // namespace trainscope::cuda::batch_norm
