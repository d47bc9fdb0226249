// SPDX-License-Identifier: GPL-3.0-or-later
// The dense layer by cublasLt, on what stands in for it on the emulated device: that the bias is
// the library's to add, what is asked of memory, and what is found wrong in calls.
#include <gmock/gmock.h>

#include "engine/cuda/emulation/block.h"
#include "engine/cuda/emulation/cublaslt_api.h"
#include "engine/cuda/runtime.h"
#include "engine/ops/dense.h"
#include "engine/ops/dense_relu.h"
#include "engine/ops/kernel_variant.h"
#include "tests/cuda/device_array.h"
#include "tests/cuda/emulated_device.h"
#include "tests/support/numerics.h"

namespace trainscope::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Dense::Shape shape{.n = 2, .in = 3, .out = 2};

class CublasLtTest : public ::testing::Test {
  protected:
    ~CublasLtTest() override {
        runtime.reset();
        reset_emulated_device();
    }
    const KernelVariant<Dense>& variant(std::string_view name = "cublaslt") const {
        return *choose_variant<Dense>(DeviceKind::emulated, name, shape).value();
    }
    std::unique_ptr<Dense::Kernel> kernel(std::string_view name = "cublaslt") const {
        return variant(name).make(shape, {.runtime = runtime.get()});
    }
    std::size_t workspace_bytes() const {
        return static_cast<std::size_t>(variant().workspace_bytes(shape, {}));
    }
    void forward(Dense::Kernel& by, void* workspace) const {
        by.forward({.x = x.data(),
                    .weight = weight.data(),
                    .bias = bias.data(),
                    .y = y.data(),
                    .workspace = workspace});
    }
    // Why the runtime does not go on.
    std::string failure() const {
        const auto status = runtime->status();
        return status ? "" : status.error().message;
    }

    std::unique_ptr<DeviceRuntime> runtime = cuda::open_device(0).value();
    DeviceArray<float> x{Floats{1, 2, 3, 4, 5, 6}};
    DeviceArray<float> weight{Floats{1, 0, 1, 0, 1, 0}};
    DeviceArray<float> bias{Floats{10, 20}};
    DeviceArray<float> y{4};
};

TEST_F(CublasLtTest, TheBiasTakesNoKernelOfItsOwn) {
    const DeviceArray<std::byte> workspace(workspace_bytes());
    for (const auto& [name, kernels] : {std::pair("cublas", 1u), std::pair("cublaslt", 0u)}) {
        const auto by = kernel(name);
        const std::uint64_t before = emulation::launch_count();
        forward(*by, workspace.data());
        EXPECT_EQ(emulation::launch_count() - before, kernels) << name;
        EXPECT_THAT(y.values(), ElementsAre(14, 22, 20, 25)) << name;
    }
    EXPECT_EQ(failure(), "");
}

TEST_F(CublasLtTest, ReluTakesNoKernelOfItsOwnForwardAndOneBackward) {
    const DeviceArray<std::byte> workspace(workspace_bytes());
    const DeviceArray<float> below{Floats{-20, 20}};
    const DeviceArray<float> signs{Floats{1, 0, -1, 0, 1, 0}};
    for (const bool with_bias : {true, false}) {
        Dense::Shape of = shape;
        of.bias = with_bias;
        const auto by = choose_variant<DenseRelu>(DeviceKind::emulated, "cublaslt", of)
                            .value()
                            ->make(of, {.runtime = runtime.get()});
        const std::uint64_t before = emulation::launch_count();
        by->forward({.x = x.data(),
                     .weight = signs.data(),
                     .bias = with_bias ? below.data() : nullptr,
                     .y = y.data(),
                     .workspace = workspace.data()});
        EXPECT_EQ(emulation::launch_count() - before, 0u);
        if (with_bias) {
            EXPECT_THAT(y.values(), ElementsAre(0, 22, 0, 25));
        } else {
            EXPECT_THAT(y.values(), ElementsAre(0, 2, 0, 5));
        }
        const DeviceArray<float> dy{Floats{1, 2, 3, 4}};
        const DeviceArray<float> dweight(6);
        by->backward({.dense = {.x = x.data(),
                                .weight = signs.data(),
                                .dy = nullptr,
                                .dx = nullptr,
                                .dweight = dweight.data(),
                                .dbias = nullptr,
                                .accumulate = false,
                                .workspace = workspace.data()},
                      .y = y.data(),
                      .dy = dy.data()});
        EXPECT_EQ(emulation::launch_count() - before, 1u);
        EXPECT_THAT(dy.values(), ElementsAre(0, 2, 0, 4));
        EXPECT_THAT(dweight.values(), ElementsAre(0, 0, 0, 18, 24, 30));
    }
    EXPECT_EQ(failure(), "");
}

TEST_F(CublasLtTest, AStepAllocatesNoDeviceMemory) {
    const DeviceArray<std::byte> workspace(workspace_bytes());
    const auto by = kernel();
    emulation::fail_device_allocation(0);  // the next one
    forward(*by, workspace.data());
    EXPECT_EQ(emulation::device_allocate(1), nullptr) << "none was taken before";
    EXPECT_EQ(failure(), "");
}

TEST_F(CublasLtTest, AWorkspaceThatDoesNotHaveItsBytesIsFound) {
    const DeviceArray<std::byte> workspace(512);
    forward(*kernel(), workspace.data());
    EXPECT_THAT(failure(), AllOf(HasSubstr("dense/cublaslt.cpp:"), HasSubstr("cublasLtMatmul"),
                                 HasSubstr("which has 512 bytes")));
}

TEST_F(CublasLtTest, ABiasShorterThanALineIsFound) {
    const DeviceArray<std::byte> workspace(workspace_bytes());
    const DeviceArray<float> one(Floats{1});
    kernel()->forward({.x = x.data(),
                       .weight = weight.data(),
                       .bias = one.data(),
                       .y = y.data(),
                       .workspace = workspace.data()});
    EXPECT_THAT(failure(), HasSubstr("cublasLtMatmul reads bytes 0 to 7 of a device allocation, "
                                     "which has 4 bytes"));
}

TEST_F(CublasLtTest, ABrokenDeviceIsSaid) {
    emulation::report_fault(emulation::FaultKind::race, "Broken for the test.");
    const auto by = kernel();
    EXPECT_THAT(failure(), HasSubstr("cublasCreate"));
    by->forward({});  // does nothing
}

TEST_F(CublasLtTest, MatricesThatItDoesNotCountAreRefused) {
    const auto chosen = choose_variant<Dense>(DeviceKind::emulated, "cublaslt",
                                              {.n = std::int64_t{1} << 31, .in = 1, .out = 1});
    ASSERT_FALSE(chosen);
    EXPECT_THAT(chosen.error().message, HasSubstr("a matrix has 2147483648 rows or columns; "
                                                  "cublasLt counts to 2147483647"));
}

}  // namespace
}  // namespace trainscope::testing
