// SPDX-License-Identifier: GPL-3.0-or-later
// The inverse of a square matrix through P * A = L * U with partial pivoting (Golub and Van Loan,
// Matrix Computations, 4th ed., 3.4), a tool for the bench. Matrices lie row by row without gaps.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/core/result.h"

namespace trainscope {

struct MatrixInverse {
    static constexpr std::string_view name = "matrix_inverse";
    static constexpr bool is_tool = true;

    struct Shape {
        std::int64_t n = 1;
        bool operator==(const Shape&) const = default;
    };
    struct Args {
        const float* a;  // [n, n]
        float* inverse;  // [n, n], overwritten; not a. Nothing to be used where `info` is not 0
        // Tensor memory, one value: 0, or which pivot is zero, counted from 1 (LAPACK's info).
        std::int32_t* info;
        void* workspace;  // as many bytes as the variant asks for
    };
    class Kernel {
      public:
        virtual ~Kernel() = default;
        virtual void run(const Args& args) = 0;
    };

    // What a kernel's `info` says. Error invalid_argument: the matrix is singular.
    static Result<void> outcome(std::int32_t info);
};

}  // namespace trainscope
