// SPDX-License-Identifier: GPL-3.0-or-later
// Dense layer `shared_tiled`: all three passes as the same product through tiles in shared memory;
// see the product's file.
#include "engine/cuda/dense/variant.h"
#include "engine/cuda/gemm/shared_tiled.h"

namespace trainscope::cuda {
namespace {

KernelVariant<Dense> variant() {
    auto variant = dense::variant<gemm::SharedTiled>(
        "shared_tiled", "Tiles of 16 x 16 through shared memory: a sixteenth of naive's reads.",
        10);
    variant.preference_for_shape = {};  // its tiles are small enough for any layer
    return variant;
}

const Registered<Dense> registered{device_kind, variant()};

}  // namespace
}  // namespace trainscope::cuda
