// SPDX-License-Identifier: GPL-3.0-or-later
// Every variant of every operator against the float64 reference, on ugly shapes.
#include "tests/ops/variant_tests.h"

namespace trainscope::testing {
namespace {

class VariantReferenceTest : public ::testing::TestWithParam<VariantInfo> {};

TEST_P(VariantReferenceTest, SolvesUglyShapes) {
    const OperatorProblems* problems = problems_of(GetParam().op);
    ASSERT_NE(problems, nullptr) << "no problems are known for this operator";
    Tally tally;
    for (const auto& problem : problems->ugly()) {
        tally.solve(*problem, GetParam());
    }
    tally.expect_some_solved(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Cpu, VariantReferenceTest,
                         ::testing::ValuesIn(list_variants(DeviceKind::cpu)), variant_test_name);

}  // namespace
}  // namespace trainscope::testing
