// SPDX-License-Identifier: GPL-3.0-or-later
// The gradients of weights and bias are sums over all samples and positions: many terms for few
// results. They are made in two stages: the rows of the output (N * OH of them) are split, each
// part is summed by other threads into the workspace, and then the parts are added in a tree. Each
// sum has one order, whatever the device does when.
#pragma once

#include "engine/cuda/conv2d/geometry.h"
#include "engine/cuda/kernel.h"

namespace trainscope::cuda::conv2d {

struct Splits {
    std::int64_t rows;  // of a part; the last one may have fewer
    std::int64_t parts;
};

// How the rows are split into parts of about `terms`: enough parts to occupy a device and to keep
// the sums of a part short, but not more of them than a workspace is worth.
Splits splits_of(const Conv2d::Shape& shape, std::int64_t terms = 512);
// The same for other rows: so many, of so many columns each.
Splits split_rows(std::int64_t rows, std::int64_t columns, std::int64_t weights,
                  std::int64_t terms = 512);

// Bytes of the workspace that the sums of all parts need: [parts, weights] and then [parts, K].
std::int64_t partial_bytes(const Conv2d::Shape& shape, const Splits& splits);

// sums [count] from partial [parts, count].
void add_parts(cudaStream_t stream, const float* partial, std::int64_t parts, std::int64_t count,
               float* sums, bool accumulate);

// dbias from dy; `partial` has room for [parts, K].
void sum_bias_gradient(cudaStream_t stream, const Geometry& geometry, const Splits& splits,
                       const Conv2d::Backward& args, float* partial);

// dweight from the sums of the parts [parts, weights], and dbias, where it is wanted, from dy.
// `partial` is the start of the workspace above.
void finish_gradients(cudaStream_t stream, const Geometry& geometry, const Splits& splits,
                      const Conv2d::Backward& args, float* partial);

}  // namespace trainscope::cuda::conv2d
