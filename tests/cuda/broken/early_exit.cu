// SPDX-License-Identifier: GPL-3.0-or-later
// Threads past the end that return before the barrier the others wait at.
#include "tests/cuda/broken/broken_kernel.h"

namespace trainscope::testing {
namespace {

constexpr unsigned threads = 64;

template <bool stay>
__global__ void first_forty(float* y, unsigned count) {
    const bool inside = threadIdx.x < count;
    if (!stay && !inside) {
        return;
    }
    TRAINSCOPE_SHARED(float, tile, [threads]);
    tile[threadIdx.x] = 1.0F;
    __syncthreads();
    if (inside) {
        y[threadIdx.x] = tile[0];
    }
}

template <bool stay>
void run() {
    constexpr unsigned count = 40;
    const DeviceArray<float> y(count);
    cuda::launch(cuda::on(nullptr, 1, threads), first_forty<stay>, y.data(), count);
}

const RegisteredBrokenKernel registered{
    {"early_exit", emulation::FaultKind::divergent_barrier, run<false>, run<true>}};

}  // namespace
}  // namespace trainscope::testing
