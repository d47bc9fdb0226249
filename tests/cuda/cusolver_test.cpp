// SPDX-License-Identifier: GPL-3.0-or-later
// Factorizations by cuSOLVER, and what stands in for it on the emulated device: what it computes,
// and what it finds wrong in calls.
#include <gmock/gmock.h>

#include "engine/cuda/runtime.h"
#include "engine/cuda/solver.h"
#include "engine/ops/matrix_inverse.h"
#include "tests/cuda/device_array.h"
#include "tests/cuda/emulated_device.h"
#include "tests/support/numerics.h"

namespace trainscope::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CusolverTest : public ::testing::Test {
  protected:
    ~CusolverTest() override {
        runtime.reset();
        reset_emulated_device();
    }
    KernelContext context() const { return {.runtime = runtime.get()}; }
    cuda::Solver& solver() const { return cuda::solver_of(context()); }
    // Why the runtime does not go on after [2, 2] was factored, with that many floats to work in.
    std::string failure_of(const DeviceArray<float>& a, std::int64_t work_floats) const {
        const DeviceArray<float> work(static_cast<std::size_t>(work_floats));
        const DeviceArray<int> pivots(2);
        const DeviceArray<int> info(1);
        solver().lu(2, a.data(), work.data(), pivots.data(), info.data());
        const auto status = runtime->status();
        return status ? "" : status.error().message;
    }

    std::unique_ptr<DeviceRuntime> runtime = cuda::open_device(0).value();
};

// Column by column: [[2, 4], [1, 1]].
const Floats two_by_two{2, 1, 4, 1};

TEST_F(CusolverTest, FactorsInPlaceAndSolves) {
    const DeviceArray<float> a(two_by_two);
    const DeviceArray<float> work(static_cast<std::size_t>(solver().lu_floats(2)));
    const DeviceArray<int> pivots(2);
    const DeviceArray<int> info(1);
    solver().lu(2, a.data(), work.data(), pivots.data(), info.data());
    EXPECT_THAT(a.values(), ElementsAre(2, 0.5F, 4, -1));  // U above, L below the diagonal
    EXPECT_THAT(pivots.values(), ElementsAre(1, 2));
    EXPECT_EQ(info.values()[0], 0);
    const DeviceArray<float> b(Floats{10, 3});
    solver().solve(2, 1, a.data(), pivots.data(), b.data(), info.data());
    EXPECT_THAT(b.values(), ElementsAre(1, 2));
    EXPECT_TRUE(runtime->status());
}

TEST_F(CusolverTest, AZeroPivotIsNoFailureOfTheDevice) {
    const DeviceArray<float> a(Floats{1, 2, 2, 4});
    const DeviceArray<float> work(static_cast<std::size_t>(solver().lu_floats(2)));
    const DeviceArray<int> pivots(2);
    const DeviceArray<int> info(1);
    solver().lu(2, a.data(), work.data(), pivots.data(), info.data());
    EXPECT_EQ(info.values()[0], 2);
    EXPECT_TRUE(runtime->status());
    const Result<void> outcome = MatrixInverse::outcome(info.values()[0]);
    ASSERT_FALSE(outcome);
    EXPECT_THAT(outcome.error().message,
                AllOf(HasSubstr("the matrix is singular"), HasSubstr("pivot 2")));
}

TEST_F(CusolverTest, DecomposesATallMatrixGreatestValueFirst) {
    const DeviceArray<float> a(Floats{0, 3, 0, 4, 0, 0});  // [3, 2]: 3 in row 2, 4 in row 1
    const DeviceArray<float> singular(2);
    const DeviceArray<float> u(6);
    const DeviceArray<float> vt(4);
    const DeviceArray<float> rest(2);
    const DeviceArray<int> info(1);
    const std::int64_t floats = solver().svd_floats(3, 2);
    const DeviceArray<float> work(static_cast<std::size_t>(floats));
    solver().svd({.rows = 3,
                  .columns = 2,
                  .a = a.data(),
                  .singular = singular.data(),
                  .u = u.data(),
                  .vt = vt.data(),
                  .work = work.data(),
                  .work_floats = floats,
                  .rest = rest.data(),
                  .info = info.data()});
    EXPECT_TRUE(is_close("S", singular.values(), Doubles{4, 3}, 1e-6));
    Floats product(6);  // u * diag(singular) * vt
    for (std::size_t i = 0; i < 6; ++i) {
        for (std::size_t k = 0; k < 2; ++k) {
            product[i] +=
                u.values()[i % 3 + 3 * k] * singular.values()[k] * vt.values()[k + 2 * (i / 3)];
        }
    }
    EXPECT_TRUE(is_close("U * S * V^T", product, Doubles{0, 3, 0, 4, 0, 0}, 1e-6));
    EXPECT_EQ(info.values()[0], 0);
    EXPECT_TRUE(runtime->status());
}

TEST_F(CusolverTest, AMatrixThatReachesOutOfItsAllocationBreaksTheDevice) {
    EXPECT_THAT(failure_of(DeviceArray<float>(Floats{2, 1, 4}), solver().lu_floats(2)),
                AllOf(HasSubstr("engine/cuda/solver.cpp:"), HasSubstr("cusolverDnSgetrf"),
                      HasSubstr("cuSOLVER status 6, the function failed to launch"),
                      HasSubstr("reads bytes 0 to 15 of a device allocation, which has 12")));
}

TEST_F(CusolverTest, ABufferThatIsTooSmallIsFound) {
    EXPECT_THAT(failure_of(DeviceArray<float>(two_by_two), solver().lu_floats(2) - 1),
                HasSubstr("cusolverDnSgetrf writes"));
}

#if !defined(__SANITIZE_ADDRESS__)  // which leaves our checker out
TEST_F(CusolverTest, AMatrixThatWasNeverWrittenIsFound) {
    EXPECT_THAT(failure_of(DeviceArray<float>(4), solver().lu_floats(2)),
                HasSubstr("reads byte 0 of a device allocation, which was never written"));
}
#endif

TEST_F(CusolverTest, AHandleThatCannotBeMadeIsSaid) {
    emulation::report_fault(emulation::FaultKind::race, "Broken for the test.");
    EXPECT_EQ(solver().lu_floats(2), 0);
    EXPECT_THAT(runtime->status().error().message,
                AllOf(HasSubstr("cusolverDnCreate"), HasSubstr("the library was not initialized")));
}

TEST_F(CusolverTest, NoRunOfAMatrixToolAllocatesDeviceMemory) {
    const MatrixInverse::Shape shape{.n = 2};
    for (const KernelVariant<MatrixInverse>& variant :
         variants_of<MatrixInverse>(DeviceKind::emulated)) {
        const DeviceArray<float> a(two_by_two);
        const DeviceArray<float> inverse(4);
        const DeviceArray<std::int32_t> info(1);
        const DeviceArray<std::byte> workspace(
            static_cast<std::size_t>(variant.workspace_bytes(shape, context())));
        const auto kernel = variant.make(shape, context());
        emulation::fail_device_allocation(0);  // the next one
        kernel->run({.a = a.data(),
                     .inverse = inverse.data(),
                     .info = info.data(),
                     .workspace = workspace.data()});
        emulation::fail_device_allocation(std::nullopt);
        // Row by row [[2, 1], [4, 1]].
        EXPECT_THAT(inverse.values(), ElementsAre(-0.5F, 0.5F, 2, -1));
        EXPECT_TRUE(runtime->status());
    }
}

}  // namespace
}  // namespace trainscope::testing
