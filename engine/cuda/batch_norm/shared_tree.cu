// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norm `shared_tree`: a block a channel. Each thread sums every 256th value, and a tree in
// shared memory adds the threads' sums: over `naive` it has 256 threads a channel, whose reads lie
// side by side.
#include "engine/cuda/batch_norm/channel.h"
#include "engine/cuda/batch_norm/variant.h"
#include "engine/cuda/kernel.h"

namespace trainscope::cuda {
namespace {

constexpr unsigned threads = 256;

// The sum over the block, in every thread. The barrier at its start lets it be called again.
__device__ float tree_sum(float value) {
    TRAINSCOPE_SHARED(float, partial, [threads]);
    __syncthreads();
    partial[threadIdx.x] = value;
    __syncthreads();
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            partial[threadIdx.x] += partial[threadIdx.x + half];
        }
        __syncthreads();
    }
    return partial[0];
}

__global__ void statistics(BatchNorm::Shape shape, BatchNorm::Forward args, float* rests) {
    const auto count = static_cast<float>(batch_norm::values_of_channel(shape));
    for (std::int64_t c = blockIdx.x; c < shape.c; c += gridDim.x) {
        // Sums of differences from the first value: they stay small far from zero.
        const float offset = args.x[c * shape.h * shape.w];
        float sum = 0;
        batch_norm::for_channel(shape, c, threads,
                                [&](std::int64_t i) { sum += args.x[i] - offset; });
        const float mean = tree_sum(sum) / count;  // from the offset
        float m2 = 0;
        batch_norm::for_channel(shape, c, threads, [&](std::int64_t i) {
            const float difference = (args.x[i] - offset) - mean;
            m2 += difference * difference;
        });
        m2 = tree_sum(m2);
        if (threadIdx.x == 0) {
            rests[c] = batch_norm::keep_statistics(
                           shape, args, c, static_cast<double>(offset) + static_cast<double>(mean),
                           static_cast<double>(m2))
                           .rest;
        }
    }
}

__global__ void gradients(BatchNorm::Shape shape, BatchNorm::Backward args, float* sums) {
    batch_norm::gradients_by_blocks(shape, args, sums, [&](std::int64_t c) {
        const auto mine = batch_norm::sum_gradients(shape, args, c, threads);
        return batch_norm::GradientSums{tree_sum(mine.dy), tree_sum(mine.dy_xhat),
                                        tree_sum(mine.xhat)};
    });
}

const Registered<BatchNorm> registered{
    device_kind,
    batch_norm::variant(
        "shared_tree",
        "A block a channel; sums by a tree in shared memory, mean first, then differences.", 10,
        {.statistics = statistics,
         .gradients = gradients,
         .channels_a_block = 1,
         .threads = threads})};

}  // namespace
}  // namespace trainscope::cuda
