// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix product `naive`: one thread a result, which reads a whole line of each factor from device
// memory. The first rung: nothing is shared between threads, so every value is read as often as it
// is used. Bound by those reads.
#pragma once

#include "engine/cuda/gemm/parts.h"

namespace trainscope::cuda::gemm {

template <class A, class B, class Result>
__global__ void naive(A a, B b, Result c) {
    for (std::int64_t i = global_thread(); i < c.rows * c.columns; i += grid_threads()) {
        const std::int64_t row = i / c.columns;
        const std::int64_t column = i % c.columns;
        c.put(row, column,
              long_sum(a.depth, [&](std::int64_t k) { return a.at(row, k) * b.at(column, k); }));
    }
}

struct Naive : Tiles<1> {
    template <class A, class B, class Result>
    static void run(cudaStream_t stream, const A& a, const B& b, const Result& c,
                    void* /*workspace*/ = nullptr) {
        constexpr unsigned threads = 256;
        launch(on(stream, blocks_for(c.rows * c.columns, threads), threads), naive<A, B, Result>, a,
               b, c);
    }
};

}  // namespace trainscope::cuda::gemm
