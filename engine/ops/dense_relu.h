// SPDX-License-Identifier: GPL-3.0-or-later
// Fully connected layer and ReLU in one: what the layer gives is written once, already cut off at
// zero. The variant `separate` means: run the two operators one after another, each by its own
// variant.
#pragma once

#include <string_view>

#include "engine/ops/dense.h"

namespace trainscope {

struct DenseRelu {
    static constexpr std::string_view name = "dense_relu";

    using Shape = Dense::Shape;
    // y = max(dense(x), 0)
    using Forward = Dense::Forward;
    // The gradient passes where y is not <= 0. What passes is left in `dy`, which nobody reads
    // after; `dense.dy` is not looked at.
    struct Backward {
        Dense::Backward dense;
        const float* y;  // [N, out], as forward wrote it
        float* dy;       // [N, out]
    };
    class Kernel {
      public:
        virtual ~Kernel() = default;
        virtual void forward(const Forward& args) = 0;
        virtual void backward(const Backward& args) = 0;
    };
};

}  // namespace trainscope
