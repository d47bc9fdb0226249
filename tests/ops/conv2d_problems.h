// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution problems, which the fused operators build on.
#pragma once

#include "engine/ops/conv2d.h"
#include "tests/ops/problems.h"

namespace trainscope::testing {

struct Conv2dInputs {
    Conv2d::Shape shape;
    Floats x, weight, bias, dy;  // bias is empty without one

    static Conv2dInputs golden(const GoldenCase& golden);
    static Conv2dInputs random(const Conv2d::Shape& shape);
};

std::string text_of(const Conv2d::Shape& shape);
std::vector<Conv2d::Shape> ugly_conv2d_shapes();

}  // namespace trainscope::testing
