// SPDX-License-Identifier: GPL-3.0-or-later
// The batch in grid.y, which ends at 65,535.
#include "tests/cuda/broken/broken_kernel.h"

namespace trainscope::testing {
namespace {

__global__ void nothing() {}

template <unsigned rows>
void run() {
    cuda::launch(cuda::on(nullptr, dim3(1, rows), 1), nothing);
}

const RegisteredBrokenKernel registered{
    {"wide_grid", emulation::FaultKind::launch_limit, run<65536>, run<65535>}};

}  // namespace
}  // namespace trainscope::testing
