// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/matrix_pseudo_inverse.h"

namespace trainscope {

Result<void> MatrixPseudoInverse::outcome(std::int32_t info) {
    if (info == 0) {
        return {};
    }
    return make_error(ErrorCode::invalid_argument,
                      "the singular values of the matrix did not converge (info {}); check that "
                      "all its values are finite",
                      info);
}

}  // namespace trainscope
