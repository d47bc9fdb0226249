// SPDX-License-Identifier: GPL-3.0-or-later
// What convolution by transforms does between them: planes into and out of their transformed size,
// and products at each frequency.
#pragma once

#include "engine/cuda/fft.h"

namespace trainscope::cuda::conv2d {

// Where the values [height, width] of a plane lie in its transformed size, whose ends meet: the
// first of them at (-up, -left).
struct Placed {
    int height, width;
    int up = 0, left = 0;
};

// from [planes, height, width] -> to, in the transformed size; the rest is 0.
void write_planes(cudaStream_t stream, const TransformedPlane& plane, const Placed& placed,
                  std::int64_t planes, const float* from, float* to);

// What becomes of values: to = scale * from + bias[plane % channels] + (accumulate ? to : 0).
struct Finish {
    float scale = 1;
    const float* bias = nullptr;  // [channels]
    int channels = 1;
    bool accumulate = false;
};
// The other way round.
void read_planes(cudaStream_t stream, const TransformedPlane& plane, const Placed& placed,
                 std::int64_t planes, const float* from, const Finish& finish, float* to);

// Of spectra: c[line, column] (+)= sum over terms of a[line, term] * b[column, term], at each
// frequency and for each group. All lie one behind the other; steps count them.
struct SpectraProduct {
    struct Factor {
        const float* data;
        std::int64_t line, term, group;
    };
    int lines, columns, terms, groups;
    Factor a;
    Factor b;  // its lines are the columns
    bool conjugate_b;
    float* c;
    std::int64_t c_line, c_column, c_group;
    bool accumulate = false;
};
void multiply_spectra(cudaStream_t stream, const TransformedPlane& plane,
                      const SpectraProduct& product);

}  // namespace trainscope::cuda::conv2d
