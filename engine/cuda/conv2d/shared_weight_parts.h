// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of dweight from rows of x and dy in shared memory. A block makes 64 taps of 32 filters:
// a thread one tap of eight filters.
#pragma once

#include "engine/cuda/conv2d/sums.h"

namespace trainscope::cuda::conv2d {

// Whether the rows under 64 taps fit into shared memory.
bool fits_shared(const Conv2d::Shape& shape);

// Fills partial [parts, weights].
void launch_shared_weight_parts(cudaStream_t stream, const Conv2d::Shape& shape,
                                const Splits& splits, const Conv2d::Backward& args, float* partial);

}  // namespace trainscope::cuda::conv2d
