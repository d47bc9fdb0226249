// SPDX-License-Identifier: GPL-3.0-or-later
// The tools that judge kernels must themselves be able to fail.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "tests/support/golden.h"
#include "tests/support/guarded.h"
#include "tests/support/numerics.h"
#include "tests/support/shared.h"

namespace trainscope::testing {
namespace {

TEST(NumericsTest, TheErrorIsRelativeToTheExpectedNorm) {
    EXPECT_DOUBLE_EQ(relative_l2_error(std::span<const double>(Doubles{3, 4.5}), Doubles{3, 4}),
                     0.1);
}

TEST(NumericsTest, ZerosAreMeasuredAgainstOne) {
    EXPECT_TRUE(is_close("y", Floats{0, 1e-6F}, Doubles{0, 0}, 1e-5));
    EXPECT_FALSE(is_close("y", Floats{0, 1e-4F}, Doubles{0, 0}, 1e-5));
}

TEST(NumericsTest, NanNeverPasses) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(is_close("y", Floats{1, nan}, Doubles{1, 2}, 1e30));
    EXPECT_FALSE(is_close("y", Floats{1, 2}, Doubles{1, static_cast<double>(nan)}, 1e30));
    EXPECT_FALSE(is_close("y", Floats{nan}, Doubles{static_cast<double>(nan)}, 1e30));
}

TEST(NumericsTest, AMissingValueNeverPasses) {
    EXPECT_FALSE(is_close("y", Floats{1}, Doubles{1, 0}, 1e30));
}

TEST(NumericsTest, TheToleranceGrowsWithTheLengthOfTheSumsUpToALimit) {
    EXPECT_NEAR(float32_tolerance(1), 1e-5, 1e-8);
    EXPECT_DOUBLE_EQ(float32_tolerance(3000), 2e-5);
    EXPECT_DOUBLE_EQ(float32_tolerance(1'000'000), 1e-4);
    EXPECT_EQ(error_bound(Arithmetic::tf32, 1'000'000), 2e-3);
    EXPECT_EQ(error_bound(Arithmetic::bf16, 1), 2e-2);
    EXPECT_EQ(error_bound(Arithmetic::bf16, 0), 0) << "nothing is rounded";
}

TEST(GuardedTest, ValuesAreNanUntilTheyAreWritten) {
    Guarded<float> memory(3);
    memory.data()[1] = 1;
    EXPECT_TRUE(std::isnan(memory.values()[0]));
    EXPECT_EQ(memory.values()[1], 1);
    EXPECT_TRUE(memory.is_intact("y"));
}

#if !defined(__SANITIZE_ADDRESS__)
TEST(GuardedTest, AWriteBeforeOrBehindIsFound) {
    Guarded<float> before(3);
    *(before.data() - 1) = 0;
    EXPECT_FALSE(before.is_intact("y"));
    Guarded<float> behind(3);
    *(behind.data() + behind.size()) = 0;
    EXPECT_FALSE(behind.is_intact("y"));
}
#endif

TEST(GoldenFilesTest, EveryCaseOfTheSharedFolderHasAnOperatorAndTensors) {
    TRAINSCOPE_NEEDS_SHARED();
    const std::vector<GoldenCase> cases = golden_operator_cases();
    ASSERT_FALSE(cases.empty());
    for (const GoldenCase& golden : cases) {
        EXPECT_FALSE(golden.op.empty()) << golden.name;
        EXPECT_FALSE(golden.tensors.empty()) << golden.name;
    }
}

}  // namespace
}  // namespace trainscope::testing
