// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution by cuDNN, on what stands in for it on the emulated device: which algorithms are
// taken, what is asked of memory, and what is found wrong in calls.
#include <gmock/gmock.h>

#include "engine/cuda/emulation/cudnn_api.h"
#include "engine/cuda/runtime.h"
#include "engine/ops/conv2d.h"
#include "engine/ops/kernel_variant.h"
#include "tests/cuda/device_array.h"
#include "tests/cuda/emulated_device.h"
#include "tests/support/numerics.h"
#include "tests/support/seeded_floats.h"

namespace trainscope::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

class CudnnTest : public ::testing::Test {
  protected:
    ~CudnnTest() override {
        runtime.reset();
        reset_emulated_device();
    }
    KernelContext context() const { return {.runtime = runtime.get()}; }
    static const KernelVariant<Conv2d>& variant(const Conv2d::Shape& of) {
        return *choose_variant<Conv2d>(DeviceKind::emulated, "cudnn", of).value();
    }
    std::unique_ptr<Conv2d::Kernel> kernel(const Conv2d::Shape& of) const {
        return variant(of).make(of, context());
    }
    std::size_t workspace_bytes(const Conv2d::Shape& of) const {
        return static_cast<std::size_t>(variant(of).workspace_bytes(of, context()));
    }
    // Why the runtime does not go on.
    std::string failure() const {
        const auto status = runtime->status();
        return status ? "" : status.error().message;
    }

    std::unique_ptr<DeviceRuntime> runtime = cuda::open_device(0).value();
};

// What a convolution works on.
struct Tensors {
    explicit Tensors(const Conv2d::Shape& s)
        : x(seeded_floats(s.input_elements(), 1, 1)),
          weight(seeded_floats(s.weight_elements(), 2, 1)),
          bias(seeded_floats(s.k, 3, 1)),
          y(static_cast<std::size_t>(s.output_elements())),
          dx(static_cast<std::size_t>(s.input_elements())),
          dweight(seeded_floats(s.weight_elements(), 4, 1)),
          dbias(seeded_floats(s.k, 5, 1)) {}

    void forward(Conv2d::Kernel& by, void* workspace) const {
        by.forward({.x = x.data(),
                    .weight = weight.data(),
                    .bias = bias.data(),
                    .y = y.data(),
                    .workspace = workspace});
    }
    void backward(Conv2d::Kernel& by, void* workspace) const {
        by.backward({.x = x.data(),
                     .weight = weight.data(),
                     .dy = y.data(),
                     .dx = dx.data(),
                     .dweight = dweight.data(),
                     .dbias = dbias.data(),
                     .accumulate = true,
                     .workspace = workspace});
    }

    DeviceArray<float> x, weight, bias, y, dx, dweight, dbias;
};

constexpr Conv2d::Shape small{
    .n = 2, .c = 2, .h = 6, .w = 5, .k = 3, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1};
// The matrix of its windows is larger than the workspace of the emulated device.
constexpr Conv2d::Shape large{.n = 8, .c = 4, .h = 16, .w = 16, .k = 2, .r = 3, .s = 3};

// The stand-in refuses tensor cores, and a workspace that is smaller than an algorithm's.
TEST_F(CudnnTest, AlgorithmsAreHeldToFloat32AndToTheWorkspace) {
    for (const Conv2d::Shape& shape : {small, large}) {
        const Tensors tensors(shape);
        const DeviceArray<std::byte> workspace(workspace_bytes(shape));
        const auto by = kernel(shape);
        tensors.forward(*by, workspace.data());
        tensors.backward(*by, workspace.data());
        EXPECT_EQ(failure(), "");
    }
}

// Where one without a workspace is taken, a faster one has other bits in every other call.
TEST_F(CudnnTest, AlgorithmsGiveTheSameBitsEachTime) {
    const Tensors tensors(large);
    const DeviceArray<std::byte> workspace(workspace_bytes(large));
    const auto by = kernel(large);
    tensors.forward(*by, workspace.data());
    std::vector<Floats> dx;
    for (int i = 0; i < 3; ++i) {
        tensors.backward(*by, workspace.data());
        dx.push_back(tensors.dx.values());
    }
    EXPECT_EQ(failure(), "");
    EXPECT_THAT(dx, Each(dx[0]));
}

TEST_F(CudnnTest, AWorkspaceThatDoesNotHaveItsBytesIsFound) {
    const Tensors tensors(small);
    const DeviceArray<float> workspace(16);
    const auto by = kernel(small);
    tensors.forward(*by, workspace.data());
    EXPECT_THAT(failure(),
                AllOf(HasSubstr("conv2d/cudnn.cpp:"), HasSubstr("cudnnConvolutionForward"),
                      HasSubstr("CUDNN_STATUS_EXECUTION_FAILED"),
                      HasSubstr("writes bytes 0 to 4319 of a device allocation, which has 64")));
}

TEST_F(CudnnTest, ABrokenDeviceIsSaid) {
    emulation::report_fault(emulation::FaultKind::race, "Broken for the test.");
    const auto by = kernel(small);
    EXPECT_THAT(failure(),
                AllOf(HasSubstr("cudnnCreate"), HasSubstr("CUDNN_STATUS_NOT_INITIALIZED")));
    by->forward({});  // does nothing
}

TEST_F(CudnnTest, KernelsOfAStreamShareTheLibrarysMemory) {
    const std::int64_t before = emulation::device_memory().allocations;
    {
        const auto one = kernel(small);
        const auto other = kernel(large);
        EXPECT_EQ(emulation::device_memory().allocations, before + 1);
    }
    EXPECT_EQ(emulation::device_memory().allocations, before);
}

TEST_F(CudnnTest, WithoutMemoryForTheLibraryThereIsNoKernelAndNoFailedDevice) {
    emulation::fail_device_allocation(0);  // the next one
    EXPECT_THROW(kernel(small), std::bad_alloc);
    EXPECT_EQ(failure(), "");
    EXPECT_NE(kernel(small), nullptr);
}

TEST_F(CudnnTest, AStepAllocatesNoDeviceMemory) {
    const Tensors tensors(large);
    const DeviceArray<std::byte> workspace(workspace_bytes(large));
    const auto by = kernel(large);
    emulation::fail_device_allocation(0);  // the next one
    tensors.forward(*by, workspace.data());
    tensors.backward(*by, workspace.data());
    EXPECT_EQ(failure(), "");
    EXPECT_EQ(emulation::device_allocate(1), nullptr) << "none was taken before";
}

TEST_F(CudnnTest, TensorsOfMoreValuesThanItCountsAreRefused) {
    const auto chosen = choose_variant<Conv2d>(DeviceKind::emulated, "cudnn",
                                               {.n = 1 << 20, .h = 64, .w = 64, .r = 3, .s = 3});
    ASSERT_FALSE(chosen);
    EXPECT_THAT(chosen.error().message,
                HasSubstr("a tensor has 4294967296 values; cuDNN counts to 2147483647"));
}

}  // namespace
}  // namespace trainscope::testing
