// SPDX-License-Identifier: GPL-3.0-or-later
// y = max(x, 0), NaN stays NaN. The gradient passes where y is not <= 0.
#pragma once

#include <cstdint>
#include <string_view>

namespace trainscope {

struct Relu {
    static constexpr std::string_view name = "relu";

    struct Shape {
        std::int64_t elements = 1;  // of every tensor, whatever its shape
        bool operator==(const Shape&) const = default;
    };
    class Kernel {
      public:
        virtual ~Kernel() = default;
        // x and y of `elements` floats. y may be x.
        virtual void forward(const float* x, float* y) = 0;
        // y is what forward wrote; dx is overwritten and may be dy.
        virtual void backward(const float* y, const float* dy, float* dx) = 0;
    };
};

}  // namespace trainscope
