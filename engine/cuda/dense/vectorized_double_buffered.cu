// SPDX-License-Identifier: GPL-3.0-or-later
// Dense layer `vectorized_double_buffered`: over `register_blocked`, 128 bits a read and the next
// slice on its way while this one is multiplied; see the product's file.
#include "engine/cuda/dense/variant.h"
#include "engine/cuda/gemm/vectorized_double_buffered.h"

namespace trainscope::cuda {
namespace {

const Registered<Dense> registered{
    device_kind,
    dense::variant<gemm::VectorizedDoubleBuffered>(
        "vectorized_double_buffered",
        "register_blocked with reads of 128 bits, the next ones on their way meanwhile.", 30)};

}  // namespace
}  // namespace trainscope::cuda
