// SPDX-License-Identifier: GPL-3.0-or-later
// Batch normalisation and ReLU in one pass: what is normalised is written once, already cut off at
// zero, and backward computes it again instead of reading it. The variant `separate` means: run the
// two operators one after another, each by its own variant.
#pragma once

#include <string_view>

#include "engine/ops/batch_norm.h"

namespace trainscope {

struct BatchNormRelu {
    static constexpr std::string_view name = "batch_norm_relu";

    using Shape = BatchNorm::Shape;
    // y = max(batch_norm(x), 0), NaN stays NaN.
    struct Forward {
        BatchNorm::Forward norm;
        float* saved_rest;  // [C], what the float saved_mean cuts off the mean, for backward
    };
    // The same with the running values as they are (evaluation).
    using Inference = BatchNorm::Inference;
    // The gradient passes where what was normalised is not <= 0. Backward tells by computing that
    // again from what forward saved; what remains of `dy` is batch norm's.
    struct Backward {
        BatchNorm::Backward norm;
        const float* beta;        // [C]
        const float* saved_rest;  // [C], as forward wrote it
    };
    class Kernel {
      public:
        virtual ~Kernel() = default;
        virtual void forward(const Forward& args) = 0;
        virtual void inference(const Inference& args) = 0;
        virtual void backward(const Backward& args) = 0;
    };
};

}  // namespace trainscope
