// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA runtime that a training works on, on the emulated device.
#include "engine/cuda/runtime.h"

#include <gmock/gmock.h>

#include <numeric>

#include "engine/core/arena.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/relu.h"
#include "tests/cuda/device_array.h"
#include "tests/cuda/emulated_device.h"

namespace trainscope::testing {
namespace {

using ::testing::HasSubstr;

class CudaRuntimeTest : public ::testing::Test {
  protected:
    ~CudaRuntimeTest() override {
        runtime.reset();
        reset_emulated_device();
    }
    std::unique_ptr<DeviceRuntime> runtime = cuda::open_device(0).value();
};

TEST(CudaDevices, TheEmulatedOneSaysThatItIs) {
    const auto devices = cuda::list_devices();
    ASSERT_TRUE(devices) << devices.error().message;
    ASSERT_EQ(devices->size(), 1U);
    EXPECT_EQ(devices->front().kind, DeviceKind::emulated);
    EXPECT_EQ(devices->front().id, "emulated");
    EXPECT_THAT(devices->front().description, HasSubstr("Emulated"));
    EXPECT_GT(devices->front().memory_bytes, 0);
}

class CudaDevicesFound : public ::testing::Test {
  protected:
    ~CudaDevicesFound() override { reset_emulated_device(); }
    static std::string refusal() {
        const auto devices = cuda::list_devices();
        EXPECT_FALSE(devices);
        return devices ? "" : devices.error().message;
    }
};

TEST_F(CudaDevicesFound, ADriverThatIsTooOldIsSaid) {
    emulation::set_devices({.count = cuda::cudaErrorInsufficientDriver});
    EXPECT_EQ(refusal(),
              "No NVIDIA device can be used: CUDA driver version is insufficient for CUDA runtime "
              "version (cudaErrorInsufficientDriver).");
    // An answer, no error that a later call would be taken for.
    EXPECT_EQ(cuda::cudaGetLastError(), cuda::cudaSuccess);
}

TEST_F(CudaDevicesFound, OneThatIsTooOldIsNotOfferedAndTheReasonIsSaid) {
    emulation::set_devices({.devices = {{.major = 6, .minor = 1}}});
    EXPECT_EQ(refusal(),
              "The device Emulated CUDA device has compute capability 6.1; this program needs 7.5 "
              "or newer.");
    const auto opened = cuda::open_device(0);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::unsupported);
    EXPECT_EQ(opened.error().message, refusal());
}

TEST_F(CudaDevicesFound, OneThatDoesNotAnswerIsNotOfferedAndTheReasonIsSaid) {
    emulation::set_devices({.devices = {{.properties = cuda::cudaErrorInvalidDevice}}});
    EXPECT_EQ(refusal(),
              "The device emulated:0 does not answer: invalid device ordinal "
              "(cudaErrorInvalidDevice).");
    EXPECT_EQ(cuda::cudaGetLastError(), cuda::cudaSuccess);
}

TEST_F(CudaDevicesFound, WhatIsLeftOutTakesNothingFromTheOthers) {
    emulation::set_devices(
        {.devices = {{.major = 7, .minor = 0}, {.properties = cuda::cudaErrorInvalidDevice}, {}}});
    const auto devices = cuda::list_devices();
    ASSERT_TRUE(devices) << devices.error().message;
    ASSERT_EQ(devices->size(), 1U);
    EXPECT_EQ(devices->front().index, 2);
    EXPECT_EQ(devices->front().id, "emulated:2");
}

TEST_F(CudaDevicesFound, AFailureOfOneIsNoneOfAnother) {
    emulation::set_devices({.devices = {{}, {}}});
    const auto first = cuda::open_device(0).value();
    const auto second = cuda::open_device(1).value();  // this thread's from here on
    cuda::note(cuda::cudaErrorInvalidValue, "a call");
    EXPECT_TRUE(first->status());
    EXPECT_FALSE(second->status());
    first->attach_thread();
    cuda::note(cuda::cudaErrorInvalidDevice, "another call");
    EXPECT_THAT(first->status().error().message, HasSubstr("another call"));
    EXPECT_THAT(second->status().error().message, HasSubstr("(a call)"));
}

TEST_F(CudaDevicesFound, AnErrorThatDoesNotStickIsOfThoseThatWereOpenAlone) {
    const auto before = cuda::open_device(0).value();
    cuda::note(cuda::cudaErrorInvalidValue, "a call");
    const auto after = cuda::open_device(0).value();
    EXPECT_FALSE(before->status());
    EXPECT_TRUE(after->status());
    cuda::note(cuda::cudaErrorInvalidValue, "another call");
    EXPECT_THAT(before->status().error().message, HasSubstr("(a call)"));
    EXPECT_THAT(after->status().error().message, HasSubstr("another call"));
}

TEST_F(CudaDevicesFound, OneThatIsBrokenForGoodAsksForANewStart) {
    const auto broken = cuda::open_device(0).value();
    emulation::report_fault(emulation::FaultKind::device_bounds, "a write past the end");
    broken->finish();
    EXPECT_FALSE(broken->status());
    const auto again = cuda::open_device(0);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, ErrorCode::device_failed);
    EXPECT_THAT(again.error().message, HasSubstr("start the program again"));
}

TEST(CudaDevices, AnIndexThatDoesNotExistIsRefusedByName) {
    const auto opened = cuda::open_device(3);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::not_found);
    EXPECT_THAT(opened.error().message, HasSubstr("emulated:3"));
}

TEST_F(CudaRuntimeTest, WhatIsUploadedComesBackCopiedAndCleared) {
    EXPECT_FALSE(runtime->tensors_are_host_memory());
    Arena tensors(runtime->allocator());
    Arena staging(runtime->staging_allocator());
    constexpr std::int64_t bytes = 100 * sizeof(float);
    const Buffer a = tensors.allocate(bytes, MemoryCategory::input, "a").value();
    const Buffer b = tensors.allocate(bytes, MemoryCategory::input, "b").value();
    const Buffer host = staging.allocate(bytes, MemoryCategory::input, "host").value();
    std::iota(host.floats(), host.floats() + 100, 1.0F);
    runtime->upload(a.data(), host.data(), bytes);
    runtime->copy(b.data(), a.data(), bytes);
    runtime->clear(a.data(), bytes / 2);
    std::vector<float> got_a(100);
    std::vector<float> got_b(100);
    runtime->download(got_a.data(), a.data(), bytes);
    runtime->download(got_b.data(), b.data(), bytes);
    runtime->finish();
    EXPECT_EQ(got_a[49], 0.0F);
    EXPECT_EQ(got_a[50], 51.0F);
    EXPECT_EQ(got_b[0], 1.0F);
    EXPECT_EQ(got_b[99], 100.0F);
    EXPECT_TRUE(runtime->status());
}

TEST_F(CudaRuntimeTest, MarksPassInOrderAndMeasureTime) {
    const DeviceRuntime::Mark begin = runtime->mark();
    const DeviceRuntime::Mark end = runtime->mark();
    EXPECT_EQ(end, begin + 1);
    runtime->wait(end);
    EXPECT_TRUE(runtime->passed(begin) && runtime->passed(end));
    EXPECT_GE(runtime->seconds_between(begin, end), 0.0);
    EXPECT_LT(runtime->seconds_between(begin, end), 1.0);
}

TEST_F(CudaRuntimeTest, MemoryThatWasGivenBackIsUsedAgain) {
    Arena arena(runtime->allocator());
    const void* first = nullptr;
    {
        const Buffer buffer = arena.allocate(4096, MemoryCategory::workspace, "w").value();
        first = buffer.data();
    }
    const std::int64_t used = emulation::device_memory().used;
    const Buffer again = arena.allocate(4096, MemoryCategory::workspace, "w").value();
    EXPECT_EQ(again.data(), first);
    EXPECT_EQ(emulation::device_memory().used, used);
}

TEST_F(CudaRuntimeTest, KeptMemoryIsGivenUpBeforeItRunsOut) {
    emulation::set_device_memory(emulation::device_memory().used + 8192);
    Arena arena(runtime->allocator());
    { const Buffer kept = arena.allocate(8192, MemoryCategory::workspace, "w").value(); }
    EXPECT_TRUE(arena.allocate(4096, MemoryCategory::workspace, "w"));
}

TEST_F(CudaRuntimeTest, RunningOutIsAnAnswerAndNoFailureOfTheDevice) {
    emulation::set_device_memory(emulation::device_memory().used + 1024);
    Arena arena(runtime->allocator());
    const auto buffer = arena.allocate(1 << 20, MemoryCategory::activations, "conv1 output");
    ASSERT_FALSE(buffer);
    EXPECT_EQ(buffer.error().code, ErrorCode::out_of_memory);
    EXPECT_THAT(buffer.error().message, HasSubstr("conv1 output"));
    EXPECT_TRUE(runtime->status());
    EXPECT_TRUE(arena.allocate(512, MemoryCategory::activations, "less"));
}

// Not for AddressSanitizer, which would end the program.
[[gnu::no_sanitize_address]] __global__ void write_past_the_end(float* y) {
    y[1] = 1.0F;
}

TEST_F(CudaRuntimeTest, AKernelThatBreaksARuleBreaksTheDevice) {
    const DeviceArray<float> y(1);
    cuda::launch(cuda::on(nullptr, 1, 1), write_past_the_end, y.data());
    const auto status = runtime->status();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::device_failed);
    EXPECT_THAT(status.error().message, HasSubstr("runtime_test.cpp:"));
    EXPECT_THAT(status.error().message, HasSubstr("byte 4 of a device allocation of 4 bytes"));
    // Sticky, as on a real device.
    void* data = nullptr;
    EXPECT_EQ(cuda::cudaMalloc(&data, 4), cuda::cudaErrorLaunchFailure);
}

TEST_F(CudaRuntimeTest, ARegisteredVariantRunsOnIt) {
    const auto variant = choose_variant<Relu>(DeviceKind::emulated, "auto", {.elements = 1000});
    ASSERT_TRUE(variant) << variant.error().message;
    const auto kernel = (*variant)->make({.elements = 1000}, {.runtime = runtime.get()});
    std::vector<float> x(1000);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i) - 500;
    }
    const DeviceArray<float> on_device(x);
    const DeviceArray<float> y(1000);
    kernel->forward(on_device.data(), y.data());
    const std::vector<float> got = y.values();
    for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(got[i], x[i] > 0 ? x[i] : 0.0F);
    }
    EXPECT_TRUE(runtime->status());
}

}  // namespace
}  // namespace trainscope::testing
