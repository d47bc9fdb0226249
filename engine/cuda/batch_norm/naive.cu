// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norm `naive`: one thread a channel, which walks over all of its values twice (mean, then
// squared differences). The first rung: as many threads as channels, next to none on a large card.
#include "engine/cuda/batch_norm/variant.h"
#include "engine/cuda/kernel.h"

namespace trainscope::cuda {
namespace {

constexpr unsigned threads = 32;

// Calls visit(i) for each element of a channel.
template <class Visit>
__device__ void for_channel(const BatchNorm::Shape& shape, std::int64_t channel,
                            const Visit& visit) {
    const std::int64_t plane = shape.h * shape.w;
    for (std::int64_t n = 0; n < shape.n; ++n) {
        const std::int64_t first = (n * shape.c + channel) * plane;
        for (std::int64_t i = 0; i < plane; ++i) {
            visit(first + i);
        }
    }
}

// Sums of a whole channel in one float would lose what each value adds.
__global__ void statistics(BatchNorm::Shape shape, BatchNorm::Forward args, float* rests) {
    for (std::int64_t c = global_thread(); c < shape.c; c += grid_threads()) {
        double sum = 0;
        for_channel(shape, c, [&](std::int64_t i) { sum += static_cast<double>(args.x[i]); });
        const double mean = sum / static_cast<double>(batch_norm::values_of_channel(shape));
        double m2 = 0;
        for_channel(shape, c, [&](std::int64_t i) {
            const double difference = static_cast<double>(args.x[i]) - mean;
            m2 += difference * difference;
        });
        rests[c] = batch_norm::keep_statistics(shape, args, c, mean, m2).rest;
    }
}

__global__ void gradients(BatchNorm::Shape shape, BatchNorm::Backward args, float* sums) {
    for (std::int64_t c = global_thread(); c < shape.c; c += grid_threads()) {
        double dy = 0;
        double dy_xhat = 0;
        double sum_xhat = 0;
        for_channel(shape, c, [&](std::int64_t i) {
            const auto xhat =
                static_cast<double>((args.x[i] - args.saved_mean[c]) * args.saved_invstd[c]);
            dy += static_cast<double>(args.dy[i]);
            dy_xhat += static_cast<double>(args.dy[i]) * xhat;
            sum_xhat += xhat;
        });
        batch_norm::keep_gradients(
            shape, args, c,
            {static_cast<float>(dy), static_cast<float>(dy_xhat), static_cast<float>(sum_xhat)},
            sums);
    }
}

const Registered<BatchNorm> registered{
    device_kind, batch_norm::variant("naive", "One thread a channel, two passes in double.", 0,
                                     {.statistics = statistics,
                                      .gradients = gradients,
                                      .channels_a_block = threads,
                                      .threads = threads})};

}  // namespace
}  // namespace trainscope::cuda
