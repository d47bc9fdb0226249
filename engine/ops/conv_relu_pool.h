// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution, ReLU and max pooling in one pass, so that the convolution's output is never written.
// The variant `separate` means: run the three operators one after another, each by its own variant.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/ops/conv2d.h"
#include "engine/ops/max_pool2d.h"

namespace trainscope {

struct ConvReluPool {
    static constexpr std::string_view name = "conv_relu_pool";

    struct Shape {
        Conv2d::Shape conv;
        MaxPool2d::Shape pool;  // its input is the convolution's output
        bool operator==(const Shape&) const = default;
    };
    struct Forward {
        const float* x;       // [N, C, H, W]
        const float* weight;  // [K, C / groups, R, S]
        const float* bias;    // [K], nullptr without bias
        float* y;             // [N, K, PH, PW]: pooled
        std::uint8_t* index;  // [N, K, PH, PW]: the winner's place in its window, row-major;
                              // `inactive` for a window whose maximum is <= 0
        void* workspace;
    };
    static constexpr std::uint8_t inactive = 255;
    struct Backward {
        const float* x;             // [N, C, H, W]
        const float* weight;        // [K, C / groups, R, S]
        const std::uint8_t* index;  // what forward of the same variant wrote
        const float* dy;            // [N, K, PH, PW]
        float* dx;                  // [N, C, H, W], overwritten; nullptr when nobody wants it
        float* dweight;             // like weight
        float* dbias;               // [K], nullptr without bias
        bool accumulate;            // add to dweight and dbias instead of overwriting them
        void* workspace;
    };
    class Kernel {
      public:
        virtual ~Kernel() = default;
        virtual void forward(const Forward& args) = 0;
        virtual void backward(const Backward& args) = 0;
    };
};

// Why this is not a convolution of stride 1 without groups whose output is pooled by 2x2, the one
// kind that fused kernels are made for; nullopt when it is.
std::optional<std::string> why_not_pooled_by_two(const ConvReluPool::Shape& shape);

}  // namespace trainscope
