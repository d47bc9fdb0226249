// SPDX-License-Identifier: GPL-3.0-or-later
// In a build with AddressSanitizer: it knows the emulated device's memory, so that an access of a
// kernel next to it ends the program. Elsewhere our own checker finds these (broken_kernels_test).
#include <gmock/gmock.h>

#include "tests/cuda/device_array.h"
#include "tests/cuda/emulated_device.h"

#if defined(__SANITIZE_ADDRESS__)

namespace trainscope::testing {
namespace {

__global__ void read_at(const float* x, float* y, int at) {
    y[0] = x[at];
}

TEST(AddressSanitizerDeathTest, EndsARunThatReadsNextToADeviceAllocation) {
    const DeviceArray<float> x(std::vector<float>(5, 1.0F));
    const DeviceArray<float> y(1);
    const auto read = [&](int at) {
        cuda::launch(cuda::on(nullptr, 1, 1), read_at, x.data(), y.data(), at);
    };
    read(4);
    EXPECT_EQ(y.values(), std::vector<float>{1.0F});
    EXPECT_DEATH(read(5), "use-after-poison");
    EXPECT_DEATH(read(-1), "use-after-poison");
}

__global__ void write_shared_at(int at) {
    TRAINSCOPE_SHARED(float, tile, [32]);
    float* const place = tile;
    place[at] = 1.0F;
    __syncthreads();
}

TEST(AddressSanitizerDeathTest, EndsARunThatWritesNextToASharedArray) {
    const auto write = [](int at) { cuda::launch(cuda::on(nullptr, 1, 32), write_shared_at, at); };
    write(31);
    EXPECT_EQ(emulation::first_fault(), "");
    EXPECT_DEATH(write(32), "use-after-poison");
    EXPECT_DEATH(write(-1), "use-after-poison");
}

}  // namespace
}  // namespace trainscope::testing

#endif
