// SPDX-License-Identifier: GPL-3.0-or-later
// A warp sum in which only the lanes with work take part, though its mask names all 32.
#include "tests/cuda/broken/broken_kernel.h"

namespace trainscope::testing {
namespace {

template <bool all>
__global__ void warp_sum(const float* x, float* total, unsigned count) {
    float sum = threadIdx.x < count ? x[threadIdx.x] : 0.0F;
    if (all || threadIdx.x < count) {
        for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
            sum += __shfl_down_sync(0xFFFFFFFFU, sum, lanes);
        }
    }
    if (threadIdx.x == 0) {
        *total = sum;
    }
}

template <bool all>
void run() {
    constexpr unsigned count = 20;
    const DeviceArray<float> x(ramp(count));
    const DeviceArray<float> total(1);
    cuda::launch(cuda::on(nullptr, 1, 32), warp_sum<all>, x.data(), total.data(), count);
}

const RegisteredBrokenKernel registered{
    {"inactive_lane", emulation::FaultKind::inactive_lane, run<false>, run<true>}};

}  // namespace
}  // namespace trainscope::testing
