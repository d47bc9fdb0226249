// SPDX-License-Identifier: GPL-3.0-or-later
// A barrier inside an `if` that only half of the block enters.
#include "tests/cuda/broken/broken_kernel.h"

namespace trainscope::testing {
namespace {

constexpr unsigned threads = 64;

template <bool all>
__global__ void halves(float* y) {
    if (all || threadIdx.x < threads / 2) {
        __syncthreads();
    }
    y[threadIdx.x] = 1.0F;
    __syncthreads();
}

template <bool all>
void run() {
    const DeviceArray<float> y(threads);
    cuda::launch(cuda::on(nullptr, 1, threads), halves<all>, y.data());
}

const RegisteredBrokenKernel registered{
    {"divergent_barrier", emulation::FaultKind::divergent_barrier, run<false>, run<true>}};

}  // namespace
}  // namespace trainscope::testing
