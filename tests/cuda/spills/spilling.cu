// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel with more sums than registers, which the check of spills must find, and one without.
namespace trainscope::testing {

__global__ void __launch_bounds__(1024, 2) spilling(const float* x, float* y, int count) {
    float sums[64] = {};
    for (int k = 0; k < count; ++k) {
#pragma unroll
        for (int i = 0; i < 64; ++i) {
            sums[i] += x[k] * x[i];
        }
    }
#pragma unroll
    for (int i = 0; i < 64; ++i) {
        y[i] = sums[i];
    }
}

__global__ void modest(const float* x, float* y) {
    y[threadIdx.x] = x[threadIdx.x];
}

}  // namespace trainscope::testing
