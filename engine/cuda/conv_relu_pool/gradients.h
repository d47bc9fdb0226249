// SPDX-License-Identifier: GPL-3.0-or-later
// The way back of the fused convolution. Of four outputs in a window only the winner has a
// gradient, so that both passes do a quarter of the convolution's multiply-adds.
#pragma once

#include "engine/cuda/conv2d/sums.h"
#include "engine/cuda/conv_relu_pool/geometry.h"
#include "engine/cuda/kernel.h"

namespace trainscope::cuda::conv_relu_pool {

// Whether a filter fits into shared memory in each of the two.
bool weight_gradients_fit(const Geometry& geometry);
bool input_gradient_fits(const Geometry& geometry);

// How the pooled rows (N * PH of them) are split for the sums of dweight and dbias, and the bytes
// of the workspace that these need.
conv2d::Splits splits_of(const ConvReluPool::Shape& shape);
std::int64_t workspace_bytes(const ConvReluPool::Shape& shape);

// dweight, and dbias where it is wanted.
void launch_weight_gradients(cudaStream_t stream, const Geometry& geometry,
                             const conv2d::Splits& splits, const ConvReluPool::Backward& args);
void launch_input_gradient(cudaStream_t stream, const Geometry& geometry,
                           const ConvReluPool::Backward& args);

}  // namespace trainscope::cuda::conv_relu_pool
