// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norm `textbook_faulty`: the kernel that many tutorials copy, kept to show what is wrong
// with it, and refused for training. One thread a (sample, channel) takes mean and variance over
// its plane alone, so it is instance norm; E[x^2] - E[x]^2 in float cancels where the mean is large
// against the deviation; there is no eps, so a constant plane divides by zero; and neighbouring
// threads read a plane apart. What is kept for the way back is the first sample's.
#include "engine/cuda/kernel.h"
#include "engine/ops/batch_norm.h"

namespace trainscope::cuda {
namespace {

constexpr unsigned threads = 128;

__global__ void normalize(BatchNorm::Shape shape, BatchNorm::Forward args) {
    const std::int64_t plane = shape.h * shape.w;
    for (std::int64_t p = global_thread(); p < shape.n * shape.c; p += grid_threads()) {
        const float* const x = args.x + p * plane;
        float sum = 0;
        float squares = 0;
        for (std::int64_t i = 0; i < plane; ++i) {
            sum += x[i];
            squares += x[i] * x[i];
        }
        const float mean = sum / static_cast<float>(plane);
        const float variance = squares / static_cast<float>(plane) - mean * mean;
        const float invstd = 1.0F / sqrtf(variance);
        const std::int64_t c = p % shape.c;
        for (std::int64_t i = 0; i < plane; ++i) {
            args.y[p * plane + i] = args.gamma[c] * (x[i] - mean) * invstd + args.beta[c];
        }
        if (p < shape.c) {
            const float kept = 1.0F - shape.momentum;
            args.saved_mean[c] = mean;
            args.saved_invstd[c] = invstd;
            args.running_mean[c] = kept * args.running_mean[c] + shape.momentum * mean;
            args.running_var[c] = kept * args.running_var[c] + shape.momentum * variance;
        }
    }
}

__global__ void normalize_by_running(BatchNorm::Shape shape, BatchNorm::Inference args) {
    const std::int64_t plane = shape.h * shape.w;
    for (std::int64_t p = global_thread(); p < shape.n * shape.c; p += grid_threads()) {
        const std::int64_t c = p % shape.c;
        for (std::int64_t i = p * plane; i < (p + 1) * plane; ++i) {
            args.y[i] =
                args.gamma[c] * (args.x[i] - args.running_mean[c]) / sqrtf(args.running_var[c]) +
                args.beta[c];
        }
    }
}

// One thread a channel, whose sums are floats.
__global__ void gradients(BatchNorm::Shape shape, BatchNorm::Backward args) {
    const std::int64_t plane = shape.h * shape.w;
    const auto count = static_cast<float>(shape.n * plane);
    for (std::int64_t c = global_thread(); c < shape.c; c += grid_threads()) {
        const float mean = args.saved_mean[c];
        const float invstd = args.saved_invstd[c];
        const auto for_channel = [&](const auto& visit) {
            for (std::int64_t n = 0; n < shape.n; ++n) {
                const std::int64_t first = (n * shape.c + c) * plane;
                for (std::int64_t i = first; i < first + plane; ++i) {
                    visit(i, (args.x[i] - mean) * invstd);
                }
            }
        };
        float dbeta = 0;
        float dgamma = 0;
        for_channel([&](std::int64_t i, float xhat) {
            dbeta += args.dy[i];
            dgamma += args.dy[i] * xhat;
        });
        for_channel([&](std::int64_t i, float xhat) {
            args.dx[i] = args.gamma[c] * invstd * (args.dy[i] - (dbeta + xhat * dgamma) / count);
        });
        args.dbeta[c] = args.accumulate ? args.dbeta[c] + dbeta : dbeta;
        args.dgamma[c] = args.accumulate ? args.dgamma[c] + dgamma : dgamma;
    }
}

class TextbookFaulty final : public BatchNorm::Kernel {
  public:
    TextbookFaulty(const BatchNorm::Shape& shape, cudaStream_t stream)
        : shape_(shape), stream_(stream) {}

    void forward(const BatchNorm::Forward& args) override {
        launch(on(stream_, blocks_for(shape_.n * shape_.c, threads), threads), normalize, shape_,
               args);
    }
    void inference(const BatchNorm::Inference& args) override {
        launch(on(stream_, blocks_for(shape_.n * shape_.c, threads), threads), normalize_by_running,
               shape_, args);
    }
    void backward(const BatchNorm::Backward& args) override {
        launch(on(stream_, blocks_for(shape_.c, threads), threads), gradients, shape_, args);
    }

  private:
    BatchNorm::Shape shape_;
    cudaStream_t stream_;
};

const Registered<BatchNorm> registered{
    device_kind,
    {.name = "textbook_faulty",
     .description = "A widely copied kernel, kept to show its errors.",
     .preference = -1,
     .refuses = [](const BatchNorm::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const BatchNorm::Shape&,
                           const KernelContext&) { return std::int64_t{0}; },
     .make = [](const BatchNorm::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<BatchNorm::Kernel> {
         return std::make_unique<TextbookFaulty>(shape, stream_of(context));
     },
     .trainable = false,
     .why_untrainable =
         "It normalises each sample by itself, loses the variance to rounding where the mean is "
         "far from zero, and divides by zero where all values are the same."}};

}  // namespace
}  // namespace trainscope::cuda
