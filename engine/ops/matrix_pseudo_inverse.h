// SPDX-License-Identifier: GPL-3.0-or-later
// The Moore-Penrose pseudo-inverse of a matrix of any shape and rank through its singular value
// decomposition A = U * S * V^T: A+ = V * S+ * U^T (Golub and Van Loan, Matrix Computations, 4th
// ed., 5.5.2), a tool for the bench. Matrices lie row by row without gaps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "engine/core/result.h"

namespace trainscope {

struct MatrixPseudoInverse {
    static constexpr std::string_view name = "matrix_pseudo_inverse";
    static constexpr bool is_tool = true;

    struct Shape {
        std::int64_t m = 1, n = 1;
        std::int64_t least() const { return std::min(m, n); }
        std::int64_t most() const { return std::max(m, n); }
        bool operator==(const Shape&) const = default;
    };
    // Singular values that are no greater than this share of the greatest count as zero: what
    // rounding leaves of them, as MATLAB's and NumPy's matrix_rank have it.
    static float zero_share(const Shape& shape) {
        return static_cast<float>(shape.most()) * std::numeric_limits<float>::epsilon();
    }

    struct Args {
        const float* a;         // [m, n]
        float* pseudo_inverse;  // [n, m], overwritten; not a
        // Tensor memory, one value: 0, or how many off-diagonals did not converge (LAPACK's info).
        std::int32_t* info;
        void* workspace;  // as many bytes as the variant asks for
    };
    class Kernel {
      public:
        virtual ~Kernel() = default;
        virtual void run(const Args& args) = 0;
    };

    // What a kernel's `info` says. Error invalid_argument: there are no singular values, as where
    // the matrix has a NaN.
    static Result<void> outcome(std::int32_t info);
};

}  // namespace trainscope
