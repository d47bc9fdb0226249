// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of a convolution, which a fused one has too.
#pragma once

#include <vector>

#include "engine/ops/conv2d.h"
#include "engine/tune/cases/operator.h"

namespace trainscope::bench {

std::vector<BenchField> conv2d_fields();
// Error: what does not fit.
Result<Conv2d::Shape> conv2d_shape(const BenchShape& shape);

}  // namespace trainscope::bench
