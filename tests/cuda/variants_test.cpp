// SPDX-License-Identifier: GPL-3.0-or-later
// Every variant of the CUDA backend on the emulated device, with each access checked and in several
// orders of threads and blocks: the golden cases and the float64 reference.
// With AddressSanitizer in one order: which addresses a kernel uses does not depend on it.
#include <gmock/gmock.h>

#include "engine/cuda/runtime.h"
#include "engine/ops/step_graph.h"
#include "tests/cuda/emulated_device.h"
#include "tests/ops/variant_tests.h"
#include "tests/support/shared.h"

namespace trainscope::testing {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool one_order = true;
#else
constexpr bool one_order = false;
#endif

// Without the knob that has no kernel.
std::vector<VariantInfo> kernel_variants() {
    std::vector<VariantInfo> list = list_variants(DeviceKind::emulated);
    std::erase_if(list, [](const VariantInfo& info) { return info.op == StepGraph::name; });
    return list;
}

class EmulatedVariantTest : public ::testing::TestWithParam<VariantInfo> {
  protected:
    EmulatedVariantTest() {
        device_under_test() = {.kind = DeviceKind::emulated, .runtime = runtime_.get()};
        guarded_memory_watcher = {.made = emulation::watch_memory,
                                  .gone = emulation::forget_memory};
    }
    ~EmulatedVariantTest() override {
        guarded_memory_watcher = {};
        device_under_test() = {};
        reset_emulated_device();
    }

    // Solves it in these orders and finds nothing wrong.
    void solve(const Problem& problem, std::initializer_list<std::uint64_t> orders) {
        for (const std::uint64_t seed : orders) {
            if (one_order && seed != 0) {
                continue;
            }
            SCOPED_TRACE("order " + std::to_string(seed));
            emulation::set_order_seed(seed);
            tally_.solve(problem, GetParam(), {1});
            for (const emulation::Fault& fault : emulation::take_faults()) {
                ADD_FAILURE() << name_of(fault.kind) << ": " << fault.message;
            }
            EXPECT_EQ(cuda::first_error(), "");
            cuda::forget_errors();
        }
    }

    Tally tally_;
    std::unique_ptr<DeviceRuntime> runtime_ = cuda::open_device(0).value();
};

TEST_P(EmulatedVariantTest, SolvesEveryGoldenCaseOfItsOperator) {
    TRAINSCOPE_NEEDS_SHARED();
    const OperatorProblems* problems = problems_of(GetParam().op);
    ASSERT_NE(problems, nullptr);
    if (problems->from_golden == nullptr) {
        GTEST_SKIP() << "the golden files have no cases of " << GetParam().op;
    }
    for (const GoldenCase& golden : golden_operator_cases()) {
        if (golden.op == problems->golden_op) {
            solve(*problems->from_golden(golden), {0, 1, 2, 3});
        }
    }
    tally_.expect_some_solved(GetParam());
}

TEST_P(EmulatedVariantTest, SolvesUglyShapes) {
    const OperatorProblems* problems = problems_of(GetParam().op);
    ASSERT_NE(problems, nullptr);
    // The order of the indices and one other each: these are too large for all four.
    std::uint64_t other = 0;
    for (const auto& problem : problems->ugly()) {
        solve(*problem, {0, 1 + other++ % 3});
    }
    tally_.expect_some_solved(GetParam());
}
INSTANTIATE_TEST_SUITE_P(All, EmulatedVariantTest, ::testing::ValuesIn(kernel_variants()),
                         variant_test_name);

}  // namespace
}  // namespace trainscope::testing
