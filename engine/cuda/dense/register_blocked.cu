// SPDX-License-Identifier: GPL-3.0-or-later
// Dense layer `register_blocked`: over `shared_tiled`, each thread keeps 8 x 8 results in
// registers; see the product's file.
#include "engine/cuda/dense/variant.h"
#include "engine/cuda/gemm/register_blocked.h"

namespace trainscope::cuda {
namespace {

const Registered<Dense> registered{
    device_kind,
    dense::variant<gemm::RegisterBlocked>(
        "register_blocked", "Tiles of 128 x 128, each thread 8 x 8 results in registers.", 20)};

}  // namespace
}  // namespace trainscope::cuda
