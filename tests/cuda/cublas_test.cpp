// SPDX-License-Identifier: GPL-3.0-or-later
// Products by cuBLAS, and what stands in for it on the emulated device: what it computes, and what
// it finds wrong in calls.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "engine/cuda/blas.h"
#include "engine/cuda/runtime.h"
#include "engine/ops/dense.h"
#include "tests/cuda/device_array.h"
#include "tests/cuda/emulated_device.h"
#include "tests/support/numerics.h"
#include "tests/support/seeded_floats.h"

namespace trainscope::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

class CublasTest : public ::testing::Test {
  protected:
    ~CublasTest() override {
        runtime.reset();
        reset_emulated_device();
    }
    KernelContext context() const { return {.runtime = runtime.get()}; }
    cuda::Blas& blas() const { return cuda::blas_of(context()); }
    // What one factor is, times one.
    float seen_as(Arithmetic arithmetic, float factor) const {
        const DeviceArray<float> a(Floats{factor});
        const DeviceArray<float> one(Floats{1});
        const DeviceArray<float> c(1);
        blas().multiply({.rows = 1,
                         .columns = 1,
                         .depth = 1,
                         .a = {a.data(), 1},
                         .b = {one.data(), 1},
                         .c = c.data(),
                         .c_stride = 1},
                        arithmetic, nullptr);
        return c.values()[0];
    }
    // Why the runtime does not go on after a product of ones, [2, 2], whose workspace is this.
    std::string failure_of(const float* a, void* workspace) const {
        const DeviceArray<float> b(Floats(4, 1.0F));
        const DeviceArray<float> c(4);
        blas().multiply({.rows = 2,
                         .columns = 2,
                         .depth = 2,
                         .a = {a, 2},
                         .b = {b.data(), 2},
                         .c = c.data(),
                         .c_stride = 2},
                        Arithmetic::fp32, workspace);
        const auto status = runtime->status();
        return status ? "" : status.error().message;
    }

    std::unique_ptr<DeviceRuntime> runtime = cuda::open_device(0).value();
};

TEST_F(CublasTest, MultipliesBatchesOfMatricesThatLieRowByRow) {
    constexpr std::int64_t rows = 3;
    constexpr std::int64_t columns = 5;
    constexpr std::int64_t depth = 4;
    constexpr std::int64_t count = 2;
    // Rows of A^T, B and C are longer than needed.
    const Floats a = seeded_floats(count * depth * (rows + 1), 31, 1);
    const Floats b = seeded_floats(count * depth * (columns + 2), 31, 2);
    const Floats before(static_cast<std::size_t>(count * rows * (columns + 3)), 0.5F);
    const DeviceArray<float> on_a(a);
    const DeviceArray<float> on_b(b);
    const DeviceArray<float> c(before);
    blas().multiply({.rows = rows,
                     .columns = columns,
                     .depth = depth,
                     .a = {on_a.data(), rows + 1, true, depth * (rows + 1)},
                     .b = {on_b.data(), columns + 2, false, depth * (columns + 2)},
                     .c = c.data(),
                     .c_stride = columns + 3,
                     .c_step = rows * (columns + 3),
                     .count = count,
                     .accumulate = true},
                    Arithmetic::fp32, nullptr);
    Doubles expected(before.begin(), before.end());
    const auto at = [](const Floats& values, std::int64_t i) {
        return static_cast<double>(values[static_cast<std::size_t>(i)]);
    };
    for (std::int64_t i = 0; i < count * rows * columns; ++i) {
        const std::int64_t item = i / (rows * columns);
        const std::int64_t row = i / columns % rows;
        const std::int64_t column = i % columns;
        for (std::int64_t k = 0; k < depth; ++k) {
            expected[static_cast<std::size_t>((item * rows + row) * (columns + 3) + column)] +=
                at(a, (item * depth + k) * (rows + 1) + row) *
                at(b, (item * depth + k) * (columns + 2) + column);
        }
    }
    EXPECT_TRUE(is_close("C", c.values(), expected, 1e-6));
    EXPECT_TRUE(runtime->status());
}

TEST_F(CublasTest, WhatWasInAResultThatIsOverwrittenDoesNotMatter) {
    const DeviceArray<float> ones(Floats(4, 1.0F));
    const DeviceArray<float> c(Floats(4, NAN));
    blas().multiply({.rows = 2,
                     .columns = 2,
                     .depth = 2,
                     .a = {ones.data(), 2},
                     .b = {ones.data(), 2},
                     .c = c.data(),
                     .c_stride = 2},
                    Arithmetic::fp32, nullptr);
    EXPECT_THAT(c.values(), Each(2.0F));
}

TEST_F(CublasTest, FactorsAreRoundedToTheNearestThatTheArithmeticHas) {
    EXPECT_EQ(seen_as(Arithmetic::fp32, 1 + 0x1p-23F), 1 + 0x1p-23F);
    EXPECT_EQ(seen_as(Arithmetic::tf32, 1 + 0x1p-10F), 1 + 0x1p-10F);
    EXPECT_EQ(seen_as(Arithmetic::tf32, 1 + 0x1.1p-11F), 1 + 0x1p-10F);
    EXPECT_EQ(seen_as(Arithmetic::bf16, 1 + 0x1p-7F), 1 + 0x1p-7F);
    EXPECT_EQ(seen_as(Arithmetic::bf16, -1 - 0x1.1p-8F), -1 - 0x1p-7F);
}

TEST_F(CublasTest, OfTwoRoundedValuesAsNearItIsTheEvenOne) {
    EXPECT_EQ(seen_as(Arithmetic::tf32, 1 + 0x1p-11F), 1.0F);
    EXPECT_EQ(seen_as(Arithmetic::tf32, 1 + 3 * 0x1p-11F), 1 + 0x1p-9F);
    EXPECT_EQ(seen_as(Arithmetic::bf16, 1 + 0x1p-8F), 1.0F);
    EXPECT_EQ(seen_as(Arithmetic::bf16, 1 + 3 * 0x1p-8F), 1 + 0x1p-6F);
}

TEST_F(CublasTest, RoundingKeepsNaNAndOverflowsToInfinity) {
    for (const Arithmetic arithmetic : {Arithmetic::tf32, Arithmetic::bf16}) {
        EXPECT_TRUE(std::isnan(seen_as(arithmetic, NAN)));
        EXPECT_EQ(seen_as(arithmetic, -INFINITY), -INFINITY);
        EXPECT_EQ(seen_as(arithmetic, std::numeric_limits<float>::max()), INFINITY);
    }
}

TEST_F(CublasTest, AFactorThatReachesOutOfItsAllocationBreaksTheDevice) {
    const DeviceArray<float> three(Floats(3, 1.0F));
    EXPECT_THAT(failure_of(three.data(), nullptr),
                AllOf(HasSubstr("engine/cuda/blas.cpp:"), HasSubstr("cublasGemmStridedBatchedEx"),
                      HasSubstr("CUBLAS_STATUS_EXECUTION_FAILED"),
                      HasSubstr("reads bytes 0 to 15 of a device allocation, which has 12 bytes")));
}

#if !defined(__SANITIZE_ADDRESS__)  // which leaves our checker out
TEST_F(CublasTest, AFactorThatWasNeverWrittenIsFound) {
    const DeviceArray<float> unwritten(4);
    EXPECT_THAT(failure_of(unwritten.data(), nullptr),
                HasSubstr("reads byte 0 of a device allocation, which was never written"));
}
#endif

TEST_F(CublasTest, AWorkspaceThatIsNotAlignedIsAFailedCall) {
    const DeviceArray<float> ones(Floats(4, 1.0F));
    const DeviceArray<std::byte> workspace(cuda::Blas::workspace_bytes + 4);
    EXPECT_THAT(failure_of(ones.data(), workspace.data() + 4),
                AllOf(HasSubstr("cublasSetWorkspace"), HasSubstr("CUBLAS_STATUS_INVALID_VALUE"),
                      HasSubstr("an unsupported value or parameter was passed")));
}

TEST_F(CublasTest, AWorkspaceThatIsTooSmallIsFound) {
    const DeviceArray<float> ones(Floats(4, 1.0F));
    const DeviceArray<std::byte> workspace(cuda::Blas::workspace_bytes - 4);
    EXPECT_THAT(failure_of(ones.data(), workspace.data()), HasSubstr("cublasSetWorkspace writes"));
}

TEST_F(CublasTest, NothingStaysInItsWorkspace) {
    const DeviceArray<float> ones(Floats(4, 1.0F));
    const DeviceArray<float> workspace(
        Floats(cuda::Blas::workspace_bytes / std::int64_t{sizeof(float)}, 7.0F));
    EXPECT_EQ(failure_of(ones.data(), workspace.data()), "");
    EXPECT_TRUE(std::isnan(workspace.values().front()));
    EXPECT_TRUE(std::isnan(workspace.values().back()));
}

TEST_F(CublasTest, AHandleThatCannotBeMadeIsSaid) {
    emulation::report_fault(emulation::FaultKind::race, "Broken for the test.");
    const DeviceArray<float> ones(1);
    EXPECT_THAT(failure_of(nullptr, nullptr),
                AllOf(HasSubstr("cublasCreate"), HasSubstr("CUBLAS_STATUS_NOT_INITIALIZED"),
                      HasSubstr("the library was not initialized")));
}

TEST_F(CublasTest, AutoTakesItWhereALayerIsLargerThanItsWorkspace) {
    const auto chosen = [](const Dense::Shape& shape) {
        return choose_variant<Dense>(DeviceKind::emulated, "auto", shape).value()->name;
    };
    EXPECT_NE(chosen({.n = 64, .in = 784, .out = 128}).substr(0, 6), "cublas");
    EXPECT_EQ(chosen({.n = 4096, .in = 1024, .out = 1024}), "cublas");
}

TEST_F(CublasTest, AStepAllocatesNoDeviceMemory) {
    const Dense::Shape shape{.n = 2, .in = 3, .out = 4, .bias = false};
    const auto* const variant =
        choose_variant<Dense>(DeviceKind::emulated, "cublas", shape).value();
    const DeviceArray<float> x(Floats(6, 1.0F));
    const DeviceArray<float> weight(Floats(12, 1.0F));
    const DeviceArray<float> y(8);
    const DeviceArray<std::byte> workspace(
        static_cast<std::size_t>(variant->workspace_bytes(shape, context())));
    const auto kernel = variant->make(shape, context());
    emulation::fail_device_allocation(0);  // the next one
    kernel->forward({.x = x.data(),
                     .weight = weight.data(),
                     .bias = nullptr,
                     .y = y.data(),
                     .workspace = workspace.data()});
    emulation::fail_device_allocation(std::nullopt);
    EXPECT_THAT(y.values(), Each(3.0F));
    EXPECT_TRUE(runtime->status());
}

}  // namespace
}  // namespace trainscope::testing
