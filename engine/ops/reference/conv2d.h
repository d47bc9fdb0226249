// SPDX-License-Identifier: GPL-3.0-or-later
// The float64 reference of Conv2d.
#pragma once

#include "engine/ops/conv2d.h"
#include "engine/ops/reference/values.h"

namespace trainscope::reference {

// bias is empty without one.
Values conv2d(const Conv2d::Shape& shape, const Values& x, const Values& weight,
              const Values& bias);

struct Conv2dGradients {
    Values dx, dweight, dbias;
};
Conv2dGradients conv2d_backward(const Conv2d::Shape& shape, const Values& x, const Values& weight,
                                const Values& dy);

}  // namespace trainscope::reference
