// SPDX-License-Identifier: GPL-3.0-or-later
// The float64 reference of the matrix tools.
#pragma once

#include "engine/ops/matrix_inverse.h"
#include "engine/ops/matrix_multiply.h"
#include "engine/ops/matrix_pseudo_inverse.h"
#include "engine/ops/reference/values.h"

namespace trainscope::reference {

// a [m, k], b [k, n]; the product [m, n].
Values matrix_multiply(const MatrixMultiply::Shape& shape, const Values& a, const Values& b);

// Gauss and Jordan with partial pivoting. a [n, n], which is not singular.
Values matrix_inverse(const MatrixInverse::Shape& shape, const Values& a);

// Through singular values by one-sided Jacobi rotations (Golub and Van Loan, 4th ed., 8.6.3); those
// up to `zero_share` of the greatest count as zero. a [m, n]; the result [n, m].
Values matrix_pseudo_inverse(const MatrixPseudoInverse::Shape& shape, const Values& a,
                             double zero_share);

}  // namespace trainscope::reference
