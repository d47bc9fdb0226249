// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norm `shifted_single_pass`: a block a channel, one pass over the values, which sums x - K
// and (x - K)^2 with K the channel's first value; the variance is what E[(x - K)^2] - E[x - K]^2
// leaves. Over `warp_welford` it has no division a value, neither Welford's nor that of the index.
// Its weakness is a first value far out: K a thousand deviations off loses as much as no K at all.
#include "engine/cuda/batch_norm/variant.h"
#include "engine/cuda/batch_norm/walk.h"
#include "engine/cuda/kernel.h"
#include "engine/cuda/warp.h"

namespace trainscope::cuda {
namespace {

constexpr unsigned threads = 256;

struct ShiftedSums {
    float differences = 0;
    float squares = 0;

    __device__ void operator+=(const ShiftedSums& other) {
        differences += other.differences;
        squares += other.squares;
    }
};

// What this thread sums of a channel.
template <class Sums, class Add>
__device__ Sums sum_channel(const BatchNorm::Shape& shape, std::int64_t channel, const Add& add) {
    const batch_norm::Walk walk(shape, {.channel = channel,
                                        .first = threadIdx.x,
                                        .end = batch_norm::values_of_channel(shape),
                                        .step = threads});
    return batch_norm::sum_in_runs<Sums>(walk, batch_norm::run_length, add);
}

__global__ void statistics(BatchNorm::Shape shape, BatchNorm::Forward args, float* rests) {
    for (std::int64_t c = blockIdx.x; c < shape.c; c += gridDim.x) {
        const float first = args.x[c * shape.h * shape.w];
        const auto mine =
            sum_channel<ShiftedSums>(shape, c, [&](ShiftedSums& sums, std::int64_t i) {
                const float difference = args.x[i] - first;
                sums.differences += difference;
                sums.squares += difference * difference;
            });
        const double differences = block_sum<float, threads>(mine.differences);
        const double squares = block_sum<float, threads>(mine.squares);
        if (threadIdx.x == 0) {
            const double mean =  // from the first value
                differences / static_cast<double>(batch_norm::values_of_channel(shape));
            const double m2 = squares - differences * mean;
            rests[c] =
                batch_norm::keep_statistics(shape, args, c, static_cast<double>(first) + mean,
                                            m2 < 0 ? 0 : m2)
                    .rest;  // NaN stays
        }
    }
}

__global__ void gradients(BatchNorm::Shape shape, BatchNorm::Backward args, float* sums) {
    batch_norm::gradients_by_blocks(shape, args, sums, [&](std::int64_t c) {
        const float mean = args.saved_mean[c];
        const float invstd = args.saved_invstd[c];
        return batch_norm::block_sums<threads>(sum_channel<batch_norm::GradientSums>(
            shape, c, [&](batch_norm::GradientSums& found, std::int64_t i) {
                found.add(args.dy[i], (args.x[i] - mean) * invstd);
            }));
    });
}

const Registered<BatchNorm> registered{
    device_kind,
    batch_norm::variant(
        "shifted_single_pass",
        "A block a channel, one pass: sums of the differences from the channel's first value.", 30,
        {.statistics = statistics,
         .gradients = gradients,
         .channels_a_block = 1,
         .threads = threads})};

}  // namespace
}  // namespace trainscope::cuda
