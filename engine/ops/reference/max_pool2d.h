// SPDX-License-Identifier: GPL-3.0-or-later
// The float64 reference of MaxPool2d.
#pragma once

#include "engine/ops/max_pool2d.h"
#include "engine/ops/reference/values.h"

namespace trainscope::reference {

struct MaxPool2dResult {
    Values y;
    std::vector<std::uint8_t> index;  // as in MaxPool2d::Kernel
};
MaxPool2dResult max_pool2d(const MaxPool2d::Shape& shape, const Values& x);
Values max_pool2d_backward(const MaxPool2d::Shape& shape, const Values& dy,
                           const std::vector<std::uint8_t>& index);

}  // namespace trainscope::reference
