// SPDX-License-Identifier: GPL-3.0-or-later
// Sum of matrices `vectorized`: the elementwise add of that name.
#include "engine/cuda/kernel.h"
#include "engine/ops/matrix_add.h"

namespace trainscope::cuda {
namespace {

const Registered<MatrixAdd> registered{
    device_kind,
    matrix_add_by(device_kind, "vectorized", "Four elements a load, in strides of the grid.")};

}  // namespace
}  // namespace trainscope::cuda
