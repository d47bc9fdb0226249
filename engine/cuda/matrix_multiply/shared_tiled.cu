// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix product `shared_tiled`: see engine/cuda/gemm/shared_tiled.h.
#include "engine/cuda/gemm/shared_tiled.h"
#include "engine/cuda/matrix_multiply/variant.h"

namespace trainscope::cuda {
namespace {

const Registered<MatrixMultiply> registered{
    device_kind, matrix_multiply::variant<gemm::SharedTiled>(
                     "shared_tiled",
                     "Tiles of 16 x 16 through shared memory: a sixteenth of naive's reads.", 10)};

}  // namespace
}  // namespace trainscope::cuda
