// SPDX-License-Identifier: GPL-3.0-or-later
// A loop that ends one element too late, in device memory.
#include "tests/cuda/broken/broken_kernel.h"

namespace trainscope::testing {
namespace {

constexpr std::int64_t count = 100;

__global__ void fill(float* y, std::int64_t end) {
    for (std::int64_t i = cuda::global_thread(); i < end; i += cuda::grid_threads()) {
        y[i] = 1.0F;
    }
}

template <std::int64_t end>
void run() {
    const DeviceArray<float> y(count);
    cuda::launch(cuda::on(nullptr, 2, 32), fill, y.data(), end);
}

const RegisteredBrokenKernel registered{
    {"off_by_one_write", emulation::FaultKind::device_bounds, run<count + 1>, run<count>}};

}  // namespace
}  // namespace trainscope::testing
