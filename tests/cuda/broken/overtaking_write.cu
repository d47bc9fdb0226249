// SPDX-License-Identifier: GPL-3.0-or-later
// A loop whose next round writes the shared tile before all have read this round's: the barrier at
// the end of the round is missing.
#include "tests/cuda/broken/broken_kernel.h"

namespace trainscope::testing {
namespace {

constexpr unsigned threads = 64;
constexpr int rounds = 3;

template <bool with_barrier>
__global__ void mirror_sums(const float* x, float* y) {
    TRAINSCOPE_SHARED(float, tile, [threads]);
    float sum = 0;
    for (int round = 0; round < rounds; ++round) {
        tile[threadIdx.x] = x[static_cast<unsigned>(round) * threads + threadIdx.x];
        __syncthreads();
        sum += tile[threads - 1 - threadIdx.x];
        if constexpr (with_barrier) {
            __syncthreads();
        }
    }
    y[threadIdx.x] = sum;
}

template <bool with_barrier>
void run() {
    const DeviceArray<float> x(ramp(threads * rounds));
    const DeviceArray<float> y(threads);
    cuda::launch(cuda::on(nullptr, 1, threads), mirror_sums<with_barrier>, x.data(), y.data());
}

const RegisteredBrokenKernel registered{
    {"overtaking_write", emulation::FaultKind::race, run<false>, run<true>}};

}  // namespace
}  // namespace trainscope::testing
