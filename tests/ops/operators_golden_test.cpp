// SPDX-License-Identifier: GPL-3.0-or-later
// Every variant of every operator on every case of golden/operators*.safetensors.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/ops/variant_tests.h"
#include "tests/support/shared.h"

namespace trainscope::testing {
namespace {

// Read once: several tests need them.
const std::vector<GoldenCase>& cases() {
    static const std::vector<GoldenCase> all = golden_operator_cases();
    return all;
}

TEST(OperatorsGoldenTest, EveryCaseIsOfAnOperatorThatIsTested) {
    TRAINSCOPE_NEEDS_SHARED();
    ASSERT_FALSE(cases().empty());
    for (const GoldenCase& golden : cases()) {
        const bool tested =
            std::any_of(operator_problems().begin(), operator_problems().end(),
                        [&](const auto& row) { return row.golden_op == golden.op; });
        EXPECT_TRUE(tested) << "the case " << golden.name << " is of the unknown operator '"
                            << golden.op << "'";
    }
}

TEST(OperatorsGoldenTest, TheReferenceSolvesEveryCase) {
    TRAINSCOPE_NEEDS_SHARED();
    for (const OperatorProblems& row : operator_problems()) {
        for (const GoldenCase& golden : cases()) {
            if (row.golden_op == golden.op) {
                SCOPED_TRACE(golden.name);
                row.from_golden(golden)->expect_solved_by_reference();
            }
        }
    }
}

class VariantGoldenTest : public ::testing::TestWithParam<VariantInfo> {};

TEST_P(VariantGoldenTest, SolvesEveryCaseOfItsOperator) {
    TRAINSCOPE_NEEDS_SHARED();
    const OperatorProblems* problems = problems_of(GetParam().op);
    ASSERT_NE(problems, nullptr) << "no problems are known for this operator";
    if (problems->from_golden == nullptr) {
        GTEST_SKIP() << "the golden files have no cases of " << GetParam().op;
    }
    Tally tally;
    for (const GoldenCase& golden : cases()) {
        if (golden.op == problems->golden_op) {
            tally.solve(*problems->from_golden(golden), GetParam());
        }
    }
    tally.expect_some_solved(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Cpu, VariantGoldenTest,
                         ::testing::ValuesIn(list_variants(DeviceKind::cpu)), variant_test_name);

}  // namespace
}  // namespace trainscope::testing
