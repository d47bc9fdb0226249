// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix product `warp_tiled`: see engine/cuda/gemm/warp_tiled.h.
#include "engine/cuda/gemm/warp_tiled.h"
#include "engine/cuda/matrix_multiply/variant.h"

namespace trainscope::cuda {
namespace {

const Registered<MatrixMultiply> registered{
    device_kind,
    matrix_multiply::variant<gemm::WarpTiled>(
        "warp_tiled", "Tiles for blocks, warps and threads; factors are read ahead twice.", 40)};

}  // namespace
}  // namespace trainscope::cuda
