// SPDX-License-Identifier: GPL-3.0-or-later
// 2-D convolution (cross-correlation: the filter is not flipped), NCHW, weights OIHW.
#pragma once

#include <cstdint>
#include <string_view>

namespace trainscope {

struct Conv2d {
    static constexpr std::string_view name = "conv2d";

    struct Shape {
        std::int64_t n = 1, c = 1, h = 1, w = 1;  // input [N, C, H, W]
        std::int64_t k = 1, r = 1, s = 1;         // filters [K, C / groups, R, S]
        std::int64_t stride_h = 1, stride_w = 1;
        std::int64_t pad_h = 0, pad_w = 0;  // zeros on both sides
        std::int64_t groups = 1;
        bool bias = true;

        std::int64_t out_h() const { return (h + 2 * pad_h - r) / stride_h + 1; }
        std::int64_t out_w() const { return (w + 2 * pad_w - s) / stride_w + 1; }
        std::int64_t input_elements() const { return n * c * h * w; }
        std::int64_t output_elements() const { return n * k * out_h() * out_w(); }
        std::int64_t weight_elements() const { return k * (c / groups) * r * s; }
        // Multiply-accumulates of the forward pass.
        std::int64_t macs() const { return output_elements() * (c / groups) * r * s; }
        bool operator==(const Shape&) const = default;
    };

    struct Forward {
        const float* x;       // [N, C, H, W]
        const float* weight;  // [K, C / groups, R, S]
        const float* bias;    // [K], nullptr without bias
        float* y;             // [N, K, OH, OW]
        void* workspace;
    };
    struct Backward {
        const float* x;       // [N, C, H, W]
        const float* weight;  // [K, C / groups, R, S]
        const float* dy;      // [N, K, OH, OW]
        float* dx;            // [N, C, H, W], overwritten; nullptr when nobody wants it
        float* dweight;       // like weight
        float* dbias;         // [K], nullptr without bias
        bool accumulate;      // add to dweight and dbias instead of overwriting them
        void* workspace;
    };
    class Kernel {
      public:
        virtual ~Kernel() = default;
        virtual void forward(const Forward& args) = 0;
        virtual void backward(const Backward& args) = 0;
    };
};

}  // namespace trainscope
