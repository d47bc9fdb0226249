// SPDX-License-Identifier: GPL-3.0-or-later
// cuSOLVER for kernel variants: one handle a runtime, in buffers that the caller owns. Matrices lie
// column by column without gaps. All but the sizes of buffers is enqueued on the runtime's stream.
#pragma once

#include <cstdint>

#include "engine/cuda/kernel.h"
#include "engine/cuda/solver_library.h"

namespace trainscope::cuda {

class Solver {
  public:
    // Where the library is: see missing_solver_library().
    explicit Solver(cudaStream_t stream);
    ~Solver();
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;

    std::int64_t lu_floats(std::int64_t n) const;  // of lu()'s work; 0 where the device failed
    // a [n, n] = P * L * U, in its place. pivots [n]; info: 0, or the pivot that is zero from 1 on.
    void lu(std::int64_t n, float* a, float* work, int* pivots, int* info);
    // b [n, columns] = A^-1 * b, by what lu() left. info: of the call itself.
    void solve(std::int64_t n, std::int64_t columns, const float* lu, const int* pivots, float* b,
               int* info);

    std::int64_t svd_floats(std::int64_t rows, std::int64_t columns) const;  // of svd()'s work
    struct Svd {
        std::int64_t rows, columns;  // rows >= columns
        float* a;                    // [rows, columns], destroyed
        float* singular;             // [columns], the greatest first
        float* u;                    // [rows, columns]
        float* vt;                   // [columns, columns]
        float* work;
        std::int64_t work_floats;  // svd_floats()
        float* rest;               // [columns]: what did not converge
        int* info;                 // 0, or how many did not converge
    };
    // a = u * diag(singular) * vt
    void svd(const Svd& svd);

  private:
    cudaStream_t stream_;
    cusolverDnHandle_t handle_ = nullptr;
};

// That of the runtime a kernel is made for.
Solver& solver_of(const KernelContext& context);

}  // namespace trainscope::cuda
