// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks that add to one number without an atomic.
#include "tests/cuda/broken/broken_kernel.h"

namespace trainscope::testing {
namespace {

template <bool with_atomic>
__global__ void count(float* total) {
    if (threadIdx.x == 0) {
        if constexpr (with_atomic) {
            atomicAdd(total, 1.0F);
        } else {
            *total += 1.0F;
        }
    }
}

template <bool with_atomic>
void run() {
    const DeviceArray<float> total(std::vector<float>{0});
    cuda::launch(cuda::on(nullptr, 3, 32), count<with_atomic>, total.data());
}

const RegisteredBrokenKernel registered{
    {"blocks_race", emulation::FaultKind::race, run<false>, run<true>}};

}  // namespace
}  // namespace trainscope::testing
