// SPDX-License-Identifier: GPL-3.0-or-later
// Lanes of a warp that read what their neighbours wrote, as if a warp still ran in lockstep.
#include "tests/cuda/broken/broken_kernel.h"

namespace trainscope::testing {
namespace {

constexpr unsigned lanes = 32;

template <bool with_barrier>
__global__ void rotate(const float* x, float* y) {
    TRAINSCOPE_SHARED(float, tile, [lanes]);
    tile[threadIdx.x] = x[threadIdx.x];
    if constexpr (with_barrier) {
        __syncwarp();
    }
    y[threadIdx.x] = tile[(threadIdx.x + 1) % lanes];
}

template <bool with_barrier>
void run() {
    const DeviceArray<float> x(ramp(lanes));
    const DeviceArray<float> y(lanes);
    // Backwards or shuffled orders read what is not written yet; this one only races.
    cuda::launch(cuda::on(nullptr, 1, lanes), rotate<with_barrier>, x.data(), y.data());
}

const RegisteredBrokenKernel registered{
    {"missing_syncwarp", emulation::FaultKind::race, run<false>, run<true>}};

}  // namespace
}  // namespace trainscope::testing
