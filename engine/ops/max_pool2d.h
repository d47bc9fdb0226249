// SPDX-License-Identifier: GPL-3.0-or-later
// Max pooling, NCHW. Padding counts as -inf; on ties the first element in row-major order wins and
// takes the whole gradient; NaN propagates (the first NaN wins); overlapping windows add up.
#pragma once

#include <cstdint>
#include <string_view>

namespace trainscope {

struct MaxPool2d {
    static constexpr std::string_view name = "max_pool2d";

    struct Shape {
        std::int64_t n = 1, c = 1, h = 1, w = 1;  // input [N, C, H, W]
        std::int64_t kernel_h = 2, kernel_w = 2;  // kernel_h * kernel_w <= 255
        std::int64_t stride_h = 2, stride_w = 2;
        std::int64_t pad_h = 0, pad_w = 0;  // less than the kernel

        std::int64_t out_h() const { return (h + 2 * pad_h - kernel_h) / stride_h + 1; }
        std::int64_t out_w() const { return (w + 2 * pad_w - kernel_w) / stride_w + 1; }
        std::int64_t input_elements() const { return n * c * h * w; }
        std::int64_t output_elements() const { return n * c * out_h() * out_w(); }
        bool operator==(const Shape&) const = default;
    };
    class Kernel {
      public:
        virtual ~Kernel() = default;
        // x [N, C, H, W]; y [N, C, OH, OW]; index [N, C, OH, OW]: the winner's place inside its
        // window, kh * kernel_w + kw, in the padded window.
        virtual void forward(const float* x, float* y, std::uint8_t* index) = 0;
        // dy [N, C, OH, OW]; index as forward wrote it; dx [N, C, H, W] is overwritten.
        virtual void backward(const float* dy, const std::uint8_t* index, float* dx) = 0;
    };
};

}  // namespace trainscope
