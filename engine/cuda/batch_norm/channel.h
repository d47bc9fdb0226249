// SPDX-License-Identifier: GPL-3.0-or-later
// The values of one channel among the threads of a block.
#pragma once

#include "engine/cuda/batch_norm/variant.h"

namespace trainscope::cuda::batch_norm {

// Calls visit(i) for every `threads`-th element of a channel, from this thread's on: neighbours
// read neighbours. One division a value: the rungs above do without.
template <class Visit>
__device__ void for_channel(const BatchNorm::Shape& shape, std::int64_t channel, unsigned threads,
                            const Visit& visit) {
    const std::int64_t plane = shape.h * shape.w;
    const std::int64_t count = shape.n * plane;
    for (std::int64_t i = threadIdx.x; i < count; i += threads) {
        visit((i / plane * shape.c + channel) * plane + i % plane);
    }
}

// What this thread sums of a channel on the way back.
__device__ inline GradientSums sum_gradients(const BatchNorm::Shape& shape,
                                             const BatchNorm::Backward& args, std::int64_t channel,
                                             unsigned threads) {
    GradientSums mine;
    for_channel(shape, channel, threads, [&](std::int64_t i) {
        mine.add(args.dy[i], (args.x[i] - args.saved_mean[channel]) * args.saved_invstd[channel]);
    });
    return mine;
}

}  // namespace trainscope::cuda::batch_norm
