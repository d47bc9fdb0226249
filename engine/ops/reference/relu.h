// SPDX-License-Identifier: GPL-3.0-or-later
// The float64 reference of Relu.
#pragma once

#include "engine/ops/reference/values.h"
#include "engine/ops/relu.h"

namespace trainscope::reference {

Values relu(const Values& x);
Values relu_backward(const Values& y, const Values& dy);

}  // namespace trainscope::reference
