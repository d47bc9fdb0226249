// SPDX-License-Identifier: GPL-3.0-or-later
// Problems of add from random numbers: no golden file has cases of it.
#include <fmt/format.h>

#include "engine/ops/add.h"
#include "tests/ops/problems.h"

namespace trainscope::testing {
namespace {

// One rounding each: the sums must be there to the bit.
class AddProblem final : public ProblemOf<Add> {
  public:
    explicit AddProblem(std::int64_t elements)
        : ProblemOf(fmt::format("{} elements", elements), {.elements = elements}),
          a_(random_floats(elements, 1)),
          b_(random_floats(elements, 2)) {
        for (std::size_t i = 0; i < a_.size(); ++i) {
            sums_.push_back(
                static_cast<float>(static_cast<double>(a_[i]) + static_cast<double>(b_[i])));
        }
    }

    void expect_solved_by_reference() const override {}  // the sum of two doubles

  private:
    void expect_solved(Add::Kernel& kernel, Workspace&) const override {
        Guarded<float> sum(sums_.size());
        kernel.add(a_.data(), b_.data(), sum.data());
        EXPECT_EQ(sum.copy(), sums_);
        EXPECT_TRUE(sum.is_intact("sum"));

        Guarded<float> in_a(a_);
        kernel.add(in_a.data(), b_.data(), in_a.data());
        EXPECT_EQ(in_a.copy(), sums_) << "sum in a";
        Guarded<float> in_b(b_);
        kernel.add(a_.data(), in_b.data(), in_b.data());
        EXPECT_EQ(in_b.copy(), sums_) << "sum in b";
        EXPECT_TRUE(in_a.is_intact("a") && in_b.is_intact("b"));
    }

    Floats a_, b_, sums_;
};

}  // namespace

Problems ugly_add() {
    Problems problems;
    for (const std::int64_t elements : {1, 2, 3, 4, 31, 33, 127, 1025, 100'003}) {
        problems.push_back(std::make_unique<AddProblem>(elements));
    }
    return problems;
}

}  // namespace trainscope::testing
