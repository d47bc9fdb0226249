// SPDX-License-Identifier: GPL-3.0-or-later
// The float64 reference of Dense.
#pragma once

#include "engine/ops/dense.h"
#include "engine/ops/reference/values.h"

namespace trainscope::reference {

// bias is empty without one.
Values dense(const Dense::Shape& shape, const Values& x, const Values& weight, const Values& bias);

struct DenseGradients {
    Values dx, dweight, dbias;
};
DenseGradients dense_backward(const Dense::Shape& shape, const Values& x, const Values& weight,
                              const Values& dy);

}  // namespace trainscope::reference
