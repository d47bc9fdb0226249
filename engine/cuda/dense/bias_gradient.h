// SPDX-License-Identifier: GPL-3.0-or-later
// The gradient of a dense layer's bias: the sums of dy's columns.
#pragma once

#include "engine/cuda/launch.h"
#include "engine/ops/dense.h"

namespace trainscope::cuda::dense {

void launch_bias_gradient(cudaStream_t stream, const Dense::Shape& shape,
                          const Dense::Backward& args);

}  // namespace trainscope::cuda::dense
