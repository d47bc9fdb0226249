// SPDX-License-Identifier: GPL-3.0-or-later
// The windows of samples as columns of a matrix that is written out, and back.
#pragma once

#include "engine/cuda/conv2d/sums.h"

namespace trainscope::cuda::conv2d {

// im2col: x [samples, C, H, W] -> matrix [samples, C * R * S, OH * OW].
void write_windows(cudaStream_t stream, const Geometry& geometry, std::int64_t samples,
                   const float* x, float* matrix);
// col2im: each value of dx [samples, C, H, W] is the sum of what the matrix holds for it.
void sum_windows(cudaStream_t stream, const Geometry& geometry, std::int64_t samples,
                 const float* matrix, float* dx);

// Of a sample's matrix, in floats.
inline std::int64_t windows_of_sample(const Conv2d::Shape& s) {
    return s.c * s.r * s.s * s.out_h() * s.out_w();
}

// How the rows of the output are split into parts of whole samples.
Splits splits_of_samples(const Conv2d::Shape& shape);
// As many samples as the workspace is for, but whole parts of dweight.
std::int64_t samples_at_once(const Conv2d::Shape& shape);

}  // namespace trainscope::cuda::conv2d
