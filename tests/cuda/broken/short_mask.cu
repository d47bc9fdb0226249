// SPDX-License-Identifier: GPL-3.0-or-later
// A mask of the lane numbers' bits (0x1F) where one of all lanes (0xFFFFFFFF) was meant.
#include "tests/cuda/broken/broken_kernel.h"

namespace trainscope::testing {
namespace {

template <unsigned mask>
__global__ void from_first(const float* x, float* y) {
    y[threadIdx.x] = __shfl_sync(mask, x[threadIdx.x], 0);
}

template <unsigned mask>
void run() {
    const DeviceArray<float> x(ramp(32));
    const DeviceArray<float> y(32);
    cuda::launch(cuda::on(nullptr, 1, 32), from_first<mask>, x.data(), y.data());
}

const RegisteredBrokenKernel registered{
    {"short_mask", emulation::FaultKind::inactive_lane, run<0x1FU>, run<0xFFFFFFFFU>}};

}  // namespace
}  // namespace trainscope::testing
