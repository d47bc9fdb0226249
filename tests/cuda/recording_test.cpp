// SPDX-License-Identifier: GPL-3.0-or-later
// Work recorded as CUDA graphs, on the emulated device.
#include <gmock/gmock.h>

#include <numeric>
#include <stdexcept>

#include "engine/core/arena.h"
#include "engine/cuda/emulation/graph.h"
#include "engine/cuda/runtime.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/relu.h"
#include "tests/cuda/emulated_device.h"

namespace trainscope::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RecordingTest : public ::testing::Test {
  protected:
    RecordingTest() {
        reset_emulated_device();
        runtime = cuda::open_device(0).value();
        tensors = std::make_unique<Arena>(runtime->allocator());
        x = take();
        y = take();
    }
    ~RecordingTest() override {
        x = {};
        y = {};
        tensors.reset();
        runtime.reset();
        reset_emulated_device();
    }
    Buffer take() { return tensors->allocate(bytes, MemoryCategory::input, "a").value(); }
    void fill(std::vector<float> values) { runtime->upload(x.data(), values.data(), bytes); }
    std::vector<float> get() {
        std::vector<float> values(3);
        runtime->download(values.data(), y.data(), bytes);
        runtime->finish();
        return values;
    }

    static constexpr std::int64_t bytes = 3 * sizeof(float);
    std::unique_ptr<DeviceRuntime> runtime;
    std::unique_ptr<Arena> tensors;
    Buffer x, y;
};

TEST_F(RecordingTest, KernelsCopiesAndClearsAreDoneAtEachReplayAndNotBefore) {
    const auto relu = variants_of<Relu>(DeviceKind::emulated)
                          .front()
                          .make({.elements = 3}, {.runtime = runtime.get()});
    runtime->clear(y.data(), bytes);
    const Buffer between = take();
    const auto recorded = runtime->record([&] {
        runtime->copy(between.data(), x.data(), bytes);
        relu->forward(between.floats(), y.floats());
        runtime->clear(between.data(), bytes);
    });
    ASSERT_TRUE(recorded) << recorded.error().message;
    fill({1, -2, 3});
    EXPECT_THAT(get(), ElementsAre(0, 0, 0));
    (*recorded)->replay();
    EXPECT_THAT(get(), ElementsAre(1, 0, 3));
    fill({-4, 5, 6});
    (*recorded)->replay();
    EXPECT_THAT(get(), ElementsAre(0, 5, 6));
    EXPECT_TRUE(runtime->status());
}

TEST_F(RecordingTest, WhatEndsLeavesNothingBehind) {
    const std::int64_t used = emulation::device_memory().used;
    const std::int64_t graphs = emulation::live_graphs();
    {
        const auto recorded = runtime->record([&] { runtime->clear(y.data(), bytes); });
        ASSERT_TRUE(recorded);
        EXPECT_EQ(emulation::live_graphs(), graphs + 1);
        EXPECT_GT(emulation::device_memory().used, used);
    }
    EXPECT_EQ(emulation::live_graphs(), graphs);
    EXPECT_EQ(emulation::device_memory().used, used);
}

// The device goes on, and what is given to it is done at once as before.
TEST_F(RecordingTest, WhatACaptureForbidsFailsTheRecordingAlone) {
    runtime->clear(y.data(), bytes);
    const DeviceRuntime::Mark before = runtime->mark();
    const std::pair<const char*, std::function<void()>> forbidden[] = {
        {"wait", [&] { runtime->wait(before); }},
        {"query", [&] { static_cast<void>(runtime->passed(before)); }},
        {"mark", [&] { runtime->wait(runtime->mark()); }},
        {"memory",
         [&] { static_cast<void>(runtime->allocator().allocate(std::int64_t{1} << 20)); }},
        {"other stream", [&] { runtime->upload_ahead(x.data(), x.data(), 0); }}};
    for (const auto& [name, work] : forbidden) {
        SCOPED_TRACE(name);
        const auto recorded = runtime->record([&, &does = work] {
            does();
            runtime->copy(y.data(), x.data(), bytes);
        });
        ASSERT_FALSE(recorded);
        EXPECT_EQ(recorded.error().code, ErrorCode::device_failed);
        EXPECT_THAT(recorded.error().message, HasSubstr("no CUDA graph could be made: "));
        EXPECT_TRUE(runtime->status());
        EXPECT_EQ(emulation::live_graphs(), 0);
        EXPECT_EQ(cuda::cudaPeekAtLastError(), cuda::cudaSuccess);
    }
    fill({1, 2, 3});
    EXPECT_THAT(get(), ElementsAre(0, 0, 0));
    runtime->copy(y.data(), x.data(), bytes);
    EXPECT_THAT(get(), ElementsAre(1, 2, 3));
}

TEST_F(RecordingTest, ADeviceWithoutMemoryForTheGraphGoesOn) {
    emulation::fail_device_allocation(0);
    const auto refused = runtime->record([&] { runtime->clear(y.data(), bytes); });
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("out of memory"));
    EXPECT_TRUE(runtime->status());
    EXPECT_TRUE(runtime->record([&] { runtime->clear(y.data(), bytes); }));
}

TEST_F(RecordingTest, AnExceptionEndsTheCapture) {
    EXPECT_THROW(static_cast<void>(runtime->record([&] {
                     runtime->clear(y.data(), bytes);
                     throw std::runtime_error("the test's");
                 })),
                 std::runtime_error);
    runtime->clear(y.data(), bytes);
    EXPECT_THAT(get(), ElementsAre(0, 0, 0));
    EXPECT_TRUE(runtime->status());
}

TEST_F(RecordingTest, ABrokenDeviceIsSaidToBeBrokenAtTheReplay) {
    const auto recorded = runtime->record([&] { runtime->clear(y.data(), bytes); });
    ASSERT_TRUE(recorded);
    emulation::report_fault(emulation::FaultKind::race, "the test's");
    (*recorded)->replay();
    ASSERT_FALSE(runtime->status());
    EXPECT_THAT(runtime->status().error().message, HasSubstr("cudaGraphLaunch"));
}

TEST(HostRecording, IsNotThere) {
    const auto host = host_runtime();
    EXPECT_FALSE(host->records());
    EXPECT_EQ(host->record([] {}).error().code, ErrorCode::unsupported);
}

}  // namespace
}  // namespace trainscope::testing
