// SPDX-License-Identifier: GPL-3.0-or-later
// Dense layer `warp_tiled`: over `vectorized_double_buffered`, a tile for each warp and factors
// read ahead into registers; see the product's file.
#include "engine/cuda/dense/variant.h"
#include "engine/cuda/gemm/warp_tiled.h"

namespace trainscope::cuda {
namespace {

const Registered<Dense> registered{
    device_kind,
    dense::variant<gemm::WarpTiled>(
        "warp_tiled", "Tiles for blocks, warps and threads; factors are read ahead twice.", 40)};

}  // namespace
}  // namespace trainscope::cuda
