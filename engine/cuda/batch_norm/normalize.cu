// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/batch_norm/normalize.h"

namespace trainscope::cuda::batch_norm {

namespace {

__device__ std::int64_t channel_of(const BatchNorm::Shape& shape, std::int64_t element) {
    return element / (shape.h * shape.w) % shape.c;
}

__global__ void normalize(BatchNorm::Shape shape, BatchNorm::Forward args, const float* rests) {
    for (std::int64_t i = global_thread(); i < shape.c * values_of_channel(shape);
         i += grid_threads()) {
        const std::int64_t c = channel_of(shape, i);
        const float difference = (args.x[i] - args.saved_mean[c]) - rests[c];
        args.y[i] = difference * (args.gamma[c] * args.saved_invstd[c]) + args.beta[c];
    }
}

__global__ void normalize_by_running(BatchNorm::Shape shape, BatchNorm::Inference args) {
    for (std::int64_t i = global_thread(); i < shape.c * values_of_channel(shape);
         i += grid_threads()) {
        const std::int64_t c = channel_of(shape, i);
        const float scale = args.gamma[c] / sqrtf(args.running_var[c] + shape.eps);
        args.y[i] = (args.x[i] - args.running_mean[c]) * scale + args.beta[c];
    }
}

__global__ void input_gradient(BatchNorm::Shape shape, BatchNorm::Backward args,
                               const float* sums) {
    const float share = 1.0F / static_cast<float>(values_of_channel(shape));
    for (std::int64_t i = global_thread(); i < shape.c * values_of_channel(shape);
         i += grid_threads()) {
        const std::int64_t c = channel_of(shape, i);
        const float invstd = args.saved_invstd[c];
        const float xhat = (args.x[i] - args.saved_mean[c]) * invstd - sums[2 * shape.c + c];
        args.dx[i] = args.gamma[c] * invstd *
                     (args.dy[i] - share * sums[c] - xhat * (share * sums[shape.c + c]));
    }
}

Launch on_elements(cudaStream_t stream, const BatchNorm::Shape& shape,
                   std::source_location at = std::source_location::current()) {
    return on(stream, blocks_for(shape.elements(), element_threads), element_threads, 0, at);
}

}  // namespace

void launch_normalize(cudaStream_t stream, const BatchNorm::Shape& shape,
                      const BatchNorm::Forward& args, const float* rests) {
    launch(on_elements(stream, shape), normalize, shape, args, rests);
}

void launch_inference(cudaStream_t stream, const BatchNorm::Shape& shape,
                      const BatchNorm::Inference& args) {
    launch(on_elements(stream, shape), normalize_by_running, shape, args);
}

void launch_input_gradient(cudaStream_t stream, const BatchNorm::Shape& shape,
                           const BatchNorm::Backward& args, const float* sums) {
    launch(on_elements(stream, shape), input_gradient, shape, args, sums);
}

}  // namespace trainscope::cuda::batch_norm
