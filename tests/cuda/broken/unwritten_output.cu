// SPDX-License-Identifier: GPL-3.0-or-later
// Every second value is left unwritten; the kernel after it reads them all.
#include "tests/cuda/broken/broken_kernel.h"

namespace trainscope::testing {
namespace {

constexpr unsigned count = 64;

__global__ void write_every(float* y, unsigned step) {
    if (threadIdx.x % step == 0) {
        y[threadIdx.x] = 1.0F;
    }
}
__global__ void twice(const float* x, float* y) {
    y[threadIdx.x] = 2.0F * x[threadIdx.x];
}

template <unsigned step>
void run() {
    const DeviceArray<float> x(count);
    const DeviceArray<float> y(count);
    cuda::launch(cuda::on(nullptr, 1, count), write_every, x.data(), step);
    cuda::launch(cuda::on(nullptr, 1, count), twice, x.data(), y.data());
}

const RegisteredBrokenKernel registered{
    {"unwritten_output", emulation::FaultKind::uninitialized_read, run<2>, run<1>}};

}  // namespace
}  // namespace trainscope::testing
