// SPDX-License-Identifier: GPL-3.0-or-later
// The neighbour of the last element, in device memory.
#include "tests/cuda/broken/broken_kernel.h"

namespace trainscope::testing {
namespace {

constexpr int count = 64;

__global__ void differences(const float* x, float* y, int last) {
    const int i = static_cast<int>(threadIdx.x);
    if (i <= last) {
        y[i] = x[i + 1] - x[i];
    }
}

template <int last>
void run() {
    const DeviceArray<float> x(ramp(count));
    const DeviceArray<float> y(count);
    cuda::launch(cuda::on(nullptr, 1, count), differences, x.data(), y.data(), last);
}

const RegisteredBrokenKernel registered{
    {"off_by_one_read", emulation::FaultKind::device_bounds, run<count - 1>, run<count - 2>}};

}  // namespace
}  // namespace trainscope::testing
