// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix product `vectorized_double_buffered`: see engine/cuda/gemm/vectorized_double_buffered.h.
#include "engine/cuda/gemm/vectorized_double_buffered.h"
#include "engine/cuda/matrix_multiply/variant.h"

namespace trainscope::cuda {
namespace {

const Registered<MatrixMultiply> registered{
    device_kind,
    matrix_multiply::variant<gemm::VectorizedDoubleBuffered>(
        "vectorized_double_buffered",
        "register_blocked with reads of 128 bits, the next ones on their way meanwhile.", 30)};

}  // namespace
}  // namespace trainscope::cuda
