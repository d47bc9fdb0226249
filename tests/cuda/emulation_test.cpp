// SPDX-License-Identifier: GPL-3.0-or-later
// What the emulated device does with kernels that are right: CUDA's rules of threads, warps, shared
// memory, atomics and device memory.
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "tests/cuda/device_array.h"
#include "tests/cuda/emulated_device.h"

namespace trainscope::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

class EmulatedKernels : public ::testing::TestWithParam<std::uint64_t> {
  protected:
    EmulatedKernels() { emulation::set_order_seed(GetParam()); }
    ~EmulatedKernels() override { reset_emulated_device(); }
    static std::vector<int> lanes() {
        std::vector<int> values(32);
        std::iota(values.begin(), values.end(), 0);
        return values;
    }
};
INSTANTIATE_TEST_SUITE_P(Orders, EmulatedKernels, ::testing::Values(0, 1, 2, 3));

__global__ void indices(int* out, dim3 size) {
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
    out[(z * size.y + y) * size.x + x] = static_cast<int>(x + 10 * y + 100 * z);
}

TEST_P(EmulatedKernels, EveryThreadOfEveryBlockRunsOnceWithItsOwnIndices) {
    const dim3 size(6, 4, 2);
    const DeviceArray<int> out(size.count());
    cuda::launch(cuda::on(nullptr, dim3(2, 2, 1), dim3(3, 2, 2)), indices, out.data(), size);
    const std::vector<int> values = out.values();
    for (unsigned i = 0; i < values.size(); ++i) {
        const unsigned x = i % 6;
        const unsigned y = i / 6 % 4;
        const unsigned z = i / 24;
        ASSERT_EQ(values[i], static_cast<int>(x + 10 * y + 100 * z));
    }
}

__global__ void shuffles(const int* x, int* out) {
    const int value = x[threadIdx.x];
    int* const mine = out + threadIdx.x * 6;
    mine[0] = __shfl_sync(0xFFFFFFFFU, value, 5);
    mine[1] = __shfl_xor_sync(0xFFFFFFFFU, value, 1);
    mine[2] = __shfl_down_sync(0xFFFFFFFFU, value, 4U);
    mine[3] = __shfl_up_sync(0xFFFFFFFFU, value, 4U);
    mine[4] = __shfl_down_sync(0xFFFFFFFFU, value, 4U, 8);
    mine[5] = __shfl_sync(0xFFFFFFFFU, value, 3, 8);
}

TEST_P(EmulatedKernels, ShufflesReadTheLaneTheyNameAndTheirOwnPastTheEnd) {
    const DeviceArray<int> x(lanes());
    const DeviceArray<int> out(32 * 6);
    cuda::launch(cuda::on(nullptr, 1, 32), shuffles, x.data(), out.data());
    const std::vector<int> got = out.values();
    for (int lane = 0; lane < 32; ++lane) {
        const int* const mine = &got[static_cast<std::size_t>(lane) * 6];
        EXPECT_EQ(mine[0], 5);
        EXPECT_EQ(mine[1], lane ^ 1);
        EXPECT_EQ(mine[2], lane + 4 < 32 ? lane + 4 : lane);
        EXPECT_EQ(mine[3], lane >= 4 ? lane - 4 : lane);
        EXPECT_EQ(mine[4], lane % 8 + 4 < 8 ? lane + 4 : lane);
        EXPECT_EQ(mine[5], lane / 8 * 8 + 3);
    }
}

__global__ void votes(unsigned* out) {
    const bool odd = threadIdx.x % 2 == 1;
    if (threadIdx.x < 16) {  // half a warp may vote by itself
        const unsigned mask = 0xFFFFU;
        out[threadIdx.x] = __ballot_sync(mask, odd);
    } else {
        out[threadIdx.x] =
            (__any_sync(0xFFFF0000U, odd) ? 1U : 0U) + (__all_sync(0xFFFF0000U, odd) ? 2U : 0U);
    }
}

TEST_P(EmulatedKernels, VotesCountTheLanesOfTheirMask) {
    const DeviceArray<unsigned> out(32);
    cuda::launch(cuda::on(nullptr, 1, 32), votes, out.data());
    const std::vector<unsigned> got = out.values();
    EXPECT_THAT(std::vector<unsigned>(got.begin(), got.begin() + 16), Each(0xAAAAU));
    EXPECT_THAT(std::vector<unsigned>(got.begin() + 16, got.end()), Each(1U));
}

// Sums a block by shuffles, then by shared memory; blocks by an atomic.
__global__ void total(const float* x, float* sum, int count) {
    TRAINSCOPE_SHARED(float, of_warps, [8]);
    float mine = 0;
    for (int i = static_cast<int>(cuda::global_thread()); i < count;
         i += static_cast<int>(cuda::grid_threads())) {
        mine += x[i];
    }
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        mine += __shfl_xor_sync(0xFFFFFFFFU, mine, lanes);
    }
    if (threadIdx.x % 32 == 0) {
        of_warps[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        float block = 0;
        for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) {
            block += of_warps[warp];
        }
        atomicAdd(sum, block);
    }
}

TEST_P(EmulatedKernels, ReductionsOverWarpsBlocksAndTheGridAddUp) {
    constexpr int count = 10'007;
    const DeviceArray<float> x(std::vector<float>(count, 1.0F));
    const DeviceArray<float> sum(std::vector<float>{0});
    cuda::launch(cuda::on(nullptr, 5, 256), total, x.data(), sum.data(), count);
    EXPECT_THAT(sum.values(), ElementsAre(static_cast<float>(count)));
}

__global__ void read_shared(float* out) {
    TRAINSCOPE_SHARED(float, tile, [4]);
    TRAINSCOPE_DYNAMIC_SHARED(float, more);
    out[threadIdx.x] = threadIdx.x < 4 ? tile[threadIdx.x] : more[threadIdx.x - 4];
}

TEST(EmulatedMemory, WhatWasNeverWrittenIsNaN) {
    const DeviceArray<float> out(8);
    for (const float value : out.values()) {
        EXPECT_TRUE(std::isnan(value));
    }
    cuda::launch(cuda::on(nullptr, 1, 8, 4 * sizeof(float)), read_shared, out.data());
    for (const float value : out.values()) {
        EXPECT_TRUE(std::isnan(value));
    }
}

TEST(EmulatedMemory, EndsWhereItIsToldTo) {
    const emulation::DeviceMemory before = emulation::device_memory();
    emulation::set_device_memory(before.used + 1024);
    {
        const DeviceArray<float> fits(128);
        EXPECT_NE(fits.data(), nullptr);
        const DeviceArray<float> does_not(256);
        EXPECT_EQ(does_not.data(), nullptr);
        EXPECT_EQ(cuda::cudaGetLastError(), cuda::cudaErrorMemoryAllocation);
        EXPECT_EQ(cuda::cudaGetLastError(), cuda::cudaSuccess);
    }
    EXPECT_EQ(emulation::device_memory().used, before.used);
    emulation::set_device_memory(emulation::default_device_memory);
}

TEST(EmulatedMemory, TheNthAllocationCanBeMadeToFail) {
    emulation::fail_device_allocation(1);
    const DeviceArray<float> first(1);
    const DeviceArray<float> second(1);
    const DeviceArray<float> third(1);
    static_cast<void>(cuda::cudaGetLastError());
    EXPECT_NE(first.data(), nullptr);
    EXPECT_EQ(second.data(), nullptr);
    EXPECT_NE(third.data(), nullptr);
}

TEST(EmulatedMemory, ACopyMustStayInsideItsAllocation) {
    const DeviceArray<float> x(4);
    std::vector<float> host(8);
    EXPECT_EQ(cuda::cudaMemcpyAsync(x.data(), host.data(), 5 * sizeof(float),
                                    cuda::cudaMemcpyHostToDevice, nullptr),
              cuda::cudaErrorInvalidValue);
    EXPECT_EQ(cuda::cudaMemcpyAsync(host.data(), host.data(), sizeof(float),
                                    cuda::cudaMemcpyDeviceToHost, nullptr),
              cuda::cudaErrorInvalidValue);
    static_cast<void>(cuda::cudaGetLastError());
}

}  // namespace
}  // namespace trainscope::testing
