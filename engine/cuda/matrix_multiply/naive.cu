// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix product `naive`: see engine/cuda/gemm/naive.h.
#include "engine/cuda/gemm/naive.h"
#include "engine/cuda/matrix_multiply/variant.h"

namespace trainscope::cuda {
namespace {

const Registered<MatrixMultiply> registered{
    device_kind, matrix_multiply::variant<gemm::Naive>(
                     "naive", "One thread a result, straight from device memory.", 0)};

}  // namespace
}  // namespace trainscope::cuda
