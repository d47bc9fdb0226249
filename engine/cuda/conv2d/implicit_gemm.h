// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of dweight as `implicit_gemm` makes them, for rungs that have no better way.
#pragma once

#include "engine/cuda/conv2d/sums.h"

namespace trainscope::cuda::conv2d {

// Fills partial [parts, weights].
void launch_implicit_weight_parts(cudaStream_t stream, const Conv2d::Shape& shape,
                                  const Splits& splits, const Conv2d::Backward& args,
                                  float* partial);

}  // namespace trainscope::cuda::conv2d
