// SPDX-License-Identifier: GPL-3.0-or-later
// Fully connected layer: y = x * weight^T + bias.
#pragma once

#include <cstdint>
#include <string_view>

namespace trainscope {

struct Dense {
    static constexpr std::string_view name = "dense";

    struct Shape {
        std::int64_t n = 1, in = 1, out = 1;
        bool bias = true;
        std::int64_t macs() const { return n * in * out; }
        bool operator==(const Shape&) const = default;
    };

    struct Forward {
        const float* x;       // [N, in]
        const float* weight;  // [out, in]
        const float* bias;    // [out], nullptr without bias
        float* y;             // [N, out]
        void* workspace;
    };
    struct Backward {
        const float* x;
        const float* weight;
        const float* dy;  // [N, out]
        float* dx;        // [N, in], overwritten; nullptr when nobody wants it
        float* dweight;   // [out, in]
        float* dbias;     // [out], nullptr without bias
        bool accumulate;  // add to dweight and dbias instead of overwriting them
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
