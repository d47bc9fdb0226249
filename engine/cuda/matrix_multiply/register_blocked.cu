// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix product `register_blocked`: see engine/cuda/gemm/register_blocked.h.
#include "engine/cuda/gemm/register_blocked.h"
#include "engine/cuda/matrix_multiply/variant.h"

namespace trainscope::cuda {
namespace {

const Registered<MatrixMultiply> registered{
    device_kind,
    matrix_multiply::variant<gemm::RegisterBlocked>(
        "register_blocked", "Tiles of 128 x 128, each thread 8 x 8 results in registers.", 20)};

}  // namespace
}  // namespace trainscope::cuda
