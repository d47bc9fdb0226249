// SPDX-License-Identifier: GPL-3.0-or-later
// The values of one channel among the threads of a block.
#pragma once

#include "engine/cuda/launch.h"
#include "engine/ops/batch_norm.h"

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

}  // namespace trainscope::cuda::batch_norm
