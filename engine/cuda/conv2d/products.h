// SPDX-License-Identifier: GPL-3.0-or-later
// Many products of matrices of one size, C = A * B, at once: a product for each item and group.
#pragma once

#include "engine/cuda/launch.h"

namespace trainscope::cuda::conv2d {

// A matrix of an item and group: how far it is from one to the next, in floats.
struct Steps {
    std::int64_t row;    // of A and C; of B: from term to term
    std::int64_t along;  // of A: from term to term; of B and C: from column to column
    std::int64_t sample, group;
};

// An item is a sample, or several whose products are added up: the terms of all of them.
struct Products {
    int rows, columns, terms, groups;
    std::int64_t samples, samples_each;  // of an item
    const float* a;
    Steps a_steps;
    const float* b;
    Steps b_steps;
    float* c;
    Steps c_steps;      // `sample` is from item to item
    const float* bias;  // one a row of each group, or nullptr
};

// Neighbours in memory are read by neighbouring threads: along the terms where that step is 1.
void launch_products(cudaStream_t stream, const Products& products);

}  // namespace trainscope::cuda::conv2d
