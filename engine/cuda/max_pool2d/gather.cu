// SPDX-License-Identifier: GPL-3.0-or-later
// Max pooling `gather`: forward one thread an output, backward one thread an input, which asks the
// windows that hold it whether it won. No atomics, so the sum of overlapping windows has one order.
#include "engine/cuda/kernel.h"
#include "engine/ops/max_pool2d.h"

namespace trainscope::cuda {
namespace {

constexpr unsigned threads = 256;

__global__ void max_pool_forward(MaxPool2d::Shape s, std::int64_t out_h, std::int64_t out_w,
                                 const float* x, float* y, std::uint8_t* index) {
    const std::int64_t outputs = s.n * s.c * out_h * out_w;
    for (std::int64_t i = global_thread(); i < outputs; i += grid_threads()) {
        const std::int64_t top = i / out_w % out_h * s.stride_h - s.pad_h;
        const std::int64_t left = i % out_w * s.stride_w - s.pad_w;
        const float* const plane = x + i / (out_w * out_h) * s.h * s.w;
        float best = 0;
        std::int64_t place = -1;  // none yet: the padding counts for nothing
        for (std::int64_t at = 0; at < s.kernel_h * s.kernel_w; ++at) {
            const std::int64_t row = top + at / s.kernel_w;
            const std::int64_t column = left + at % s.kernel_w;
            if (row < 0 || row >= s.h || column < 0 || column >= s.w) {
                continue;
            }
            const float value = plane[row * s.w + column];
            // The first of equals stays, and so does the first NaN.
            if (place < 0 || value > best || (value != value && best == best)) {
                best = value;
                place = at;
            }
        }
        y[i] = best;
        index[i] = static_cast<std::uint8_t>(place);
    }
}

// The first window that reaches `at`, which counts the padding: ceil((at - kernel + 1) / stride).
__device__ inline std::int64_t first_window(std::int64_t at, std::int64_t kernel,
                                            std::int64_t stride) {
    return at < kernel ? 0 : (at - kernel) / stride + 1;
}

__global__ void max_pool_backward(MaxPool2d::Shape s, std::int64_t out_h, std::int64_t out_w,
                                  const float* dy, const std::uint8_t* index, float* dx) {
    const std::int64_t inputs = s.n * s.c * s.h * s.w;
    for (std::int64_t i = global_thread(); i < inputs; i += grid_threads()) {
        const std::int64_t row = i / s.w % s.h + s.pad_h;
        const std::int64_t column = i % s.w + s.pad_w;
        const std::int64_t plane = i / (s.w * s.h) * out_h * out_w;
        float sum = 0;
        for (std::int64_t oh = first_window(row, s.kernel_h, s.stride_h);
             oh < out_h && oh * s.stride_h <= row; ++oh) {
            for (std::int64_t ow = first_window(column, s.kernel_w, s.stride_w);
                 ow < out_w && ow * s.stride_w <= column; ++ow) {
                const std::int64_t place =
                    (row - oh * s.stride_h) * s.kernel_w + (column - ow * s.stride_w);
                const std::int64_t out = plane + oh * out_w + ow;
                sum += index[out] == place ? dy[out] : 0.0F;
            }
        }
        dx[i] = sum;
    }
}

class Gather final : public MaxPool2d::Kernel {
  public:
    Gather(const MaxPool2d::Shape& shape, cudaStream_t stream) : shape_(shape), stream_(stream) {}

    void forward(const float* x, float* y, std::uint8_t* index) override {
        launch(on(stream_, blocks_for(shape_.output_elements(), threads), threads),
               max_pool_forward, shape_, shape_.out_h(), shape_.out_w(), x, y, index);
    }
    void backward(const float* dy, const std::uint8_t* index, float* dx) override {
        launch(on(stream_, blocks_for(shape_.input_elements(), threads), threads),
               max_pool_backward, shape_, shape_.out_h(), shape_.out_w(), dy, index, dx);
    }

  private:
    MaxPool2d::Shape shape_;
    cudaStream_t stream_;
};

const Registered<MaxPool2d> registered{
    device_kind,
    {.name = "gather",
     .description = "One thread an output, and one an input on the way back; no atomics.",
     .refuses = [](const MaxPool2d::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const MaxPool2d::Shape&,
                           const KernelContext&) { return std::int64_t{0}; },
     .make = [](const MaxPool2d::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<MaxPool2d::Kernel> {
         return std::make_unique<Gather>(shape, stream_of(context));
     }}};

}  // namespace
}  // namespace trainscope::cuda
