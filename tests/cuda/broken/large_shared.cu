// SPDX-License-Identifier: GPL-3.0-or-later
// More dynamic shared memory than a kernel has unless it asks for it.
#include "tests/cuda/broken/broken_kernel.h"

namespace trainscope::testing {
namespace {

__global__ void touch(float* y) {
    TRAINSCOPE_DYNAMIC_SHARED(float, tile);
    tile[threadIdx.x] = 1.0F;
    y[threadIdx.x] = tile[threadIdx.x];
}

template <std::size_t bytes>
void run() {
    const DeviceArray<float> y(32);
    cuda::launch(cuda::on(nullptr, 1, 32, bytes), touch, y.data());
}

const RegisteredBrokenKernel registered{
    {"large_shared", emulation::FaultKind::launch_limit, run<48 * 1024 + 4>, run<48 * 1024>}};

}  // namespace
}  // namespace trainscope::testing
