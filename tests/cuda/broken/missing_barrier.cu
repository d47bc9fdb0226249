// SPDX-License-Identifier: GPL-3.0-or-later
// A shared-memory tree without the barrier between its levels.
#include "tests/cuda/broken/broken_kernel.h"

namespace trainscope::testing {
namespace {

constexpr unsigned threads = 128;

template <bool with_barrier>
__global__ void sum(const float* x, float* total) {
    TRAINSCOPE_SHARED(float, partial, [threads]);
    partial[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            partial[threadIdx.x] += partial[threadIdx.x + half];
        }
        if constexpr (with_barrier) {
            __syncthreads();
        }
    }
    if (threadIdx.x == 0) {
        *total = partial[0];
    }
}

template <bool with_barrier>
void run() {
    const DeviceArray<float> x(ramp(threads));
    const DeviceArray<float> total(1);
    cuda::launch(cuda::on(nullptr, 1, threads), sum<with_barrier>, x.data(), total.data());
}

const RegisteredBrokenKernel registered{
    {"missing_barrier", emulation::FaultKind::race, run<false>, run<true>}};

}  // namespace
}  // namespace trainscope::testing
