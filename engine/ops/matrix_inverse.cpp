// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/matrix_inverse.h"

namespace trainscope {

Result<void> MatrixInverse::outcome(std::int32_t info) {
    if (info == 0) {
        return {};
    }
    return make_error(ErrorCode::invalid_argument,
                      "the matrix is singular: pivot {} of its LU factorization is zero, so that "
                      "it has no inverse; its pseudo-inverse exists",
                      info);
}

}  // namespace trainscope
