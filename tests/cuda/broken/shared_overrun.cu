// SPDX-License-Identifier: GPL-3.0-or-later
// A halo that is one element wider than the shared array it is kept in.
#include "tests/cuda/broken/broken_kernel.h"

namespace trainscope::testing {
namespace {

constexpr unsigned threads = 32;

__global__ void load_halo(const float* x, float* y, unsigned halo) {
    TRAINSCOPE_DYNAMIC_SHARED(float, tile);
    for (unsigned i = threadIdx.x; i < threads + halo; i += threads) {
        tile[i] = x[i];
    }
    __syncthreads();
    y[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + halo];
}

template <unsigned halo>
void run() {
    const DeviceArray<float> x(ramp(threads + 3));
    const DeviceArray<float> y(threads);
    cuda::launch(cuda::on(nullptr, 1, threads, (threads + 2) * sizeof(float)), load_halo, x.data(),
                 y.data(), halo);
}

const RegisteredBrokenKernel registered{
    {"shared_overrun", emulation::FaultKind::shared_bounds, run<3>, run<2>}};

}  // namespace
}  // namespace trainscope::testing
