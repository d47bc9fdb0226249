// SPDX-License-Identifier: GPL-3.0-or-later
// Problems of relu from random numbers: no golden file has cases of it.
#include <fmt/format.h>

#include <limits>

#include "engine/ops/reference/relu.h"
#include "engine/ops/relu.h"
#include "tests/ops/problems.h"

namespace trainscope::testing {
namespace {

// Values are passed or cut, never computed: they must be there to the bit, and NaN stays NaN.
void expect_same(std::string_view what, std::span<const float> got, const Doubles& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        const auto value = static_cast<double>(got[i]);
        ASSERT_TRUE(value == expected[i] || (std::isnan(value) && std::isnan(expected[i])))
            << what << " at " << i << " is " << value << " instead of " << expected[i];
    }
}

class ReluProblem final : public ProblemOf<Relu> {
  public:
    ReluProblem(std::int64_t elements, Floats x)
        : ProblemOf(fmt::format("{} elements", elements), {.elements = elements}),
          x_(std::move(x)),
          dy_(random_floats(elements, 2)),
          y_(reference::relu(doubles_of(x_))),
          dx_(reference::relu_backward(y_, doubles_of(dy_))) {}

    void expect_solved_by_reference() const override {}  // that is where it comes from

  private:
    void expect_solved(Relu::Kernel& kernel, Workspace&) const override {
        Guarded<float> y(x_.size());
        kernel.forward(x_.data(), y.data());
        expect_same("y", y.values(), y_);
        EXPECT_TRUE(y.is_intact("y"));
        Guarded<float> dx(x_.size());
        kernel.backward(y.data(), dy_.data(), dx.data());
        expect_same("dx", dx.values(), dx_);
        EXPECT_TRUE(dx.is_intact("dx"));

        Guarded<float> in_place(x_);
        kernel.forward(in_place.data(), in_place.data());
        expect_same("y in x", in_place.values(), y_);
        Guarded<float> dy(dy_);
        kernel.backward(y.data(), dy.data(), dy.data());
        expect_same("dx in dy", dy.values(), dx_);
        EXPECT_TRUE(in_place.is_intact("y") && dy.is_intact("dx"));
    }

    Floats x_, dy_;
    Doubles y_, dx_;
};

}  // namespace

Problems ugly_relu() {
    Problems problems;
    for (const std::int64_t elements : {1, 2, 31, 32, 33, 127, 4099, 100'003}) {
        Floats x = random_floats(elements, 1);
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = i % 17 == 3   ? std::numeric_limits<float>::quiet_NaN()
                   : i % 11 == 2 ? 0
                   : i % 19 == 4 ? std::numeric_limits<float>::infinity()
                                 : x[i];
        }
        problems.push_back(std::make_unique<ReluProblem>(elements, std::move(x)));
    }
    return problems;
}

}  // namespace trainscope::testing
