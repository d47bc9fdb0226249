// SPDX-License-Identifier: GPL-3.0-or-later
// Sum of matrices `vectorized`: the elementwise add of that name.
#include "engine/ops/matrix_add.h"

namespace trainscope::cpu {
namespace {

const Registered<MatrixAdd> registered{
    DeviceKind::cpu, matrix_add_by(DeviceKind::cpu, "vectorized",
                                   "One pass over the elements, vectorised and parallel.")};

}  // namespace
}  // namespace trainscope::cpu
