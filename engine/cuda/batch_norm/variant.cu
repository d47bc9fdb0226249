// SPDX-License-Identifier: GPL-3.0-or-later
#include <memory>
#include <optional>
#include <utility>

#include "engine/cuda/batch_norm/variant.h"

namespace trainscope::cuda::batch_norm {

namespace {

constexpr unsigned element_threads = 256;

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

class Kernel final : public BatchNorm::Kernel {
  public:
    Kernel(const BatchNorm::Shape& shape, cudaStream_t stream, const Reductions& reductions,
           std::source_location at)
        : shape_(shape), stream_(stream), reductions_(reductions), at_(at) {}

    void forward(const BatchNorm::Forward& args) override {
        auto* const rests = static_cast<float*>(args.workspace);
        launch(on_channels(), reductions_.statistics, shape_, args, rests);
        launch(on_elements(), normalize, shape_, args, rests);
    }
    void inference(const BatchNorm::Inference& args) override {
        launch(on_elements(), normalize_by_running, shape_, args);
    }
    void backward(const BatchNorm::Backward& args) override {
        auto* const sums = static_cast<float*>(args.workspace);
        launch(on_channels(), reductions_.gradients, shape_, args, sums);
        launch(on_elements(), input_gradient, shape_, args, sums);
    }

  private:
    Launch on_channels() const {
        return on(stream_, blocks_for(shape_.c, reductions_.channels_a_block), reductions_.threads,
                  0, at_);
    }
    Launch on_elements(std::source_location at = std::source_location::current()) const {
        return on(stream_, blocks_for(shape_.elements(), element_threads), element_threads, 0, at);
    }

    BatchNorm::Shape shape_;
    cudaStream_t stream_;
    Reductions reductions_;
    std::source_location at_;
};

}  // namespace

KernelVariant<BatchNorm> variant(std::string name, std::string description, int preference,
                                 const Reductions& reductions, std::source_location at) {
    return {.name = std::move(name),
            .description = std::move(description),
            .preference = preference,
            .refuses = [](const BatchNorm::Shape&) { return std::nullopt; },
            .workspace_bytes =
                [](const BatchNorm::Shape& shape, const KernelContext&) {
                    return 3 * shape.c * static_cast<std::int64_t>(sizeof(float));
                },
            .make = [reductions, at](const BatchNorm::Shape& shape, const KernelContext& context)
                -> std::unique_ptr<BatchNorm::Kernel> {
                return std::make_unique<Kernel>(shape, stream_of(context), reductions, at);
            }};
}

}  // namespace trainscope::cuda::batch_norm
