// SPDX-License-Identifier: GPL-3.0-or-later
// Max pooling `direct`: each window is searched in row-major order; planes go to threads.
// Bound by comparisons, one an element of each window, not vectorised. Refuses nothing.
#include <algorithm>
#include <cmath>

#include "engine/cpu/parallel.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/max_pool2d.h"

namespace trainscope::cpu {
namespace {

class Direct final : public MaxPool2d::Kernel {
  public:
    Direct(const MaxPool2d::Shape& shape, const KernelContext& context)
        : shape_(shape), threads_(context.threads), out_h_(shape.out_h()), out_w_(shape.out_w()) {}

    void forward(const float* x, float* y, std::uint8_t* index) override {
        for_planes([&](std::int64_t plane) {
            const float* from = x + plane * shape_.h * shape_.w;
            for (std::int64_t oh = 0; oh < out_h_; ++oh) {
                for (std::int64_t ow = 0; ow < out_w_; ++ow) {
                    const std::int64_t out = (plane * out_h_ + oh) * out_w_ + ow;
                    const Winner winner = search(from, oh, ow);
                    y[out] = winner.value;
                    index[out] = winner.place;
                }
            }
        });
    }

    void backward(const float* dy, const std::uint8_t* index, float* dx) override {
        for_planes([&](std::int64_t plane) {
            float* to = dx + plane * shape_.h * shape_.w;
            std::fill_n(to, shape_.h * shape_.w, 0.0F);
            for (std::int64_t oh = 0; oh < out_h_; ++oh) {
                for (std::int64_t ow = 0; ow < out_w_; ++ow) {
                    const std::int64_t out = (plane * out_h_ + oh) * out_w_ + ow;
                    const std::int64_t row =
                        oh * shape_.stride_h - shape_.pad_h + index[out] / shape_.kernel_w;
                    const std::int64_t column =
                        ow * shape_.stride_w - shape_.pad_w + index[out] % shape_.kernel_w;
                    to[row * shape_.w + column] += dy[out];
                }
            }
        });
    }

  private:
    struct Winner {
        float value;
        std::uint8_t place;
    };

    template <class Body>
    void for_planes(const Body& body) const {
        parallel_for(threads_, shape_.n * shape_.c, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t plane = begin; plane < end; ++plane) {
                body(plane);
            }
        });
    }

    // The padding is less than the kernel, so that every window has an element.
    Winner search(const float* x, std::int64_t oh, std::int64_t ow) const {
        const std::int64_t top = oh * shape_.stride_h - shape_.pad_h;
        const std::int64_t left = ow * shape_.stride_w - shape_.pad_w;
        const std::int64_t first_row = std::max<std::int64_t>(top, 0);
        const std::int64_t end_row = std::min(top + shape_.kernel_h, shape_.h);
        const std::int64_t first_column = std::max<std::int64_t>(left, 0);
        const std::int64_t end_column = std::min(left + shape_.kernel_w, shape_.w);
        float best = x[first_row * shape_.w + first_column];
        std::int64_t place = (first_row - top) * shape_.kernel_w + (first_column - left);
        for (std::int64_t row = first_row; row < end_row; ++row) {
            for (std::int64_t column = first_column; column < end_column; ++column) {
                const float value = x[row * shape_.w + column];
                if (value > best || (std::isnan(value) && !std::isnan(best))) {
                    best = value;
                    place = (row - top) * shape_.kernel_w + (column - left);
                }
            }
        }
        return {best, static_cast<std::uint8_t>(place)};
    }

    MaxPool2d::Shape shape_;
    int threads_;
    std::int64_t out_h_, out_w_;
};

const Registered<MaxPool2d> registered{
    DeviceKind::cpu,
    {.name = "direct",
     .description = "Searches each window; any kernel, stride and padding.",
     .refuses = [](const MaxPool2d::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const MaxPool2d::Shape&,
                           const KernelContext&) { return std::int64_t{0}; },
     .make = [](const MaxPool2d::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<MaxPool2d::Kernel> {
         return std::make_unique<Direct>(shape, context);
     }}};

}  // namespace
}  // namespace trainscope::cpu
