// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norm `warp_welford`: a block a channel, one pass over the values. Each thread keeps count,
// mean and squared differences (Welford 1962); lanes merge theirs by shuffles and warps through
// shared memory (Chan, Golub and LeVeque 1979). Over `shared_tree` it reads x once instead of twice
// and has two barriers instead of nine.
#include "engine/cuda/batch_norm/channel.h"
#include "engine/cuda/batch_norm/moments.h"
#include "engine/cuda/batch_norm/variant.h"
#include "engine/cuda/kernel.h"

namespace trainscope::cuda {
namespace {

constexpr unsigned threads = 256;

struct Welford : batch_norm::Moments {
    __device__ void add(float value) {
        count += 1.0F;
        const float difference = value - mean;
        mean += difference / count;
        m2 += difference * (value - mean);
    }
};

__global__ void statistics(BatchNorm::Shape shape, BatchNorm::Forward args, float* rests) {
    for (std::int64_t c = blockIdx.x; c < shape.c; c += gridDim.x) {
        const float offset = args.x[c * shape.h * shape.w];  // keeps what is summed small
        Welford mine;
        batch_norm::for_channel(shape, c, threads,
                                [&](std::int64_t i) { mine.add(args.x[i] - offset); });
        const batch_norm::Moments all = batch_norm::merge_block<threads>(mine);
        if (threadIdx.x == 0) {
            rests[c] =
                batch_norm::keep_statistics(
                    shape, args, c, static_cast<double>(offset) + static_cast<double>(all.mean),
                    static_cast<double>(all.m2))
                    .rest;
        }
    }
}

__global__ void gradients(BatchNorm::Shape shape, BatchNorm::Backward args, float* sums) {
    batch_norm::gradients_by_blocks(shape, args, sums, [&](std::int64_t c) {
        return batch_norm::block_sums<threads>(batch_norm::sum_gradients(shape, args, c, threads));
    });
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
