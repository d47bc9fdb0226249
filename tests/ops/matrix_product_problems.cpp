// SPDX-License-Identifier: GPL-3.0-or-later
// Problems of the sums and products of matrices from the golden case and from random numbers.
#include <fmt/format.h>

#include "engine/ops/matrix_add.h"
#include "engine/ops/reference/matrix.h"
#include "tests/ops/problems.h"

namespace trainscope::testing {
namespace {

// One rounding each: the sums must be there to the bit.
class SumProblem final : public ProblemOf<MatrixAdd> {
  public:
    SumProblem(std::string name, const MatrixAdd::Shape& shape, Floats a, Floats b, Doubles sum)
        : ProblemOf(std::move(name), shape),
          a_(std::move(a)),
          b_(std::move(b)),
          sum_(std::move(sum)) {}

    void expect_solved_by_reference() const override {
        for (std::size_t i = 0; i < sum_.size(); ++i) {
            ASSERT_EQ(static_cast<double>(a_[i]) + static_cast<double>(b_[i]), sum_[i]) << i;
        }
    }

  private:
    void expect_solved(MatrixAdd::Kernel& kernel, Workspace& /*workspace*/) const override {
        Guarded<float> sum(sum_.size());
        kernel.add(a_.data(), b_.data(), sum.data());
        EXPECT_EQ(sum.copy(), Floats(sum_.begin(), sum_.end()));
        EXPECT_TRUE(sum.is_intact("sum"));
    }

    Floats a_, b_;
    Doubles sum_;
};

class ProductProblem final : public ProblemOf<MatrixMultiply> {
  public:
    ProductProblem(std::string name, const MatrixMultiply::Shape& shape, Floats a, Floats b,
                   Doubles c)
        : ProblemOf(std::move(name), shape), a_(std::move(a)), b_(std::move(b)), c_(std::move(c)) {}

    void expect_solved_by_reference() const override {
        EXPECT_TRUE(is_close("c",
                             reference::matrix_multiply(shape(), doubles_of(a_), doubles_of(b_)),
                             c_, reference_tolerance));
    }

  private:
    void expect_solved(MatrixMultiply::Kernel& kernel, Workspace& workspace) const override {
        EXPECT_EQ(product(kernel, workspace), product(kernel, workspace)) << "c, run again";
    }
    Floats product(MatrixMultiply::Kernel& kernel, Workspace& workspace) const {
        Guarded<float> c(c_.size());
        kernel.run({.a = a_.data(), .b = b_.data(), .c = c.data(), .workspace = workspace.fresh()});
        EXPECT_TRUE(is_close("c", c.values(), c_, tolerance(shape().k)));
        EXPECT_TRUE(c.is_intact("c"));
        return c.copy();
    }

    Floats a_, b_;
    Doubles c_;
};

}  // namespace

std::unique_ptr<Problem> golden_matrix_add(const GoldenCase& golden) {
    return std::make_unique<SumProblem>(
        golden.name, MatrixAdd::Shape{.m = golden.size("a", 0), .n = golden.size("a", 1)},
        golden.floats("a"), golden.floats("c"), golden.doubles("a_plus_c"));
}

Problems ugly_matrix_add() {
    Problems problems;
    for (const MatrixAdd::Shape& shape :
         std::vector<MatrixAdd::Shape>{{}, {1, 33}, {31, 1}, {13, 17}, {127, 129}}) {
        const Floats a = random_floats(shape.m * shape.n, 1);
        const Floats b = random_floats(shape.m * shape.n, 2);
        Doubles sum;
        for (std::size_t i = 0; i < a.size(); ++i) {
            sum.push_back(static_cast<double>(a[i]) + static_cast<double>(b[i]));
        }
        problems.push_back(std::make_unique<SumProblem>(fmt::format("[{}, {}]", shape.m, shape.n),
                                                        shape, a, b, std::move(sum)));
    }
    return problems;
}

std::unique_ptr<Problem> golden_matrix_multiply(const GoldenCase& golden) {
    return std::make_unique<ProductProblem>(
        golden.name,
        MatrixMultiply::Shape{
            .m = golden.size("a", 0), .n = golden.size("b", 1), .k = golden.size("a", 1)},
        golden.floats("a"), golden.floats("b"), golden.doubles("a_times_b"));
}

Problems ugly_matrix_multiply() {
    Problems problems;
    for (const MatrixMultiply::Shape& shape :
         std::vector<MatrixMultiply::Shape>{{},
                                            {.m = 1, .n = 33, .k = 10},
                                            {.m = 7, .n = 3, .k = 1},
                                            {.m = 31, .n = 1, .k = 32},
                                            {.m = 33, .n = 32, .k = 31},
                                            {.m = 64, .n = 64, .k = 64},
                                            {.m = 5, .n = 129, .k = 127},
                                            {.m = 2, .n = 10, .k = 3137},
                                            {.m = 130, .n = 65, .k = 257}}) {
        const Floats a = random_floats(shape.m * shape.k, 1);
        const Floats b = random_floats(shape.k * shape.n, 2);
        problems.push_back(std::make_unique<ProductProblem>(
            fmt::format("[{}, {}] * [{}, {}]", shape.m, shape.k, shape.k, shape.n), shape, a, b,
            reference::matrix_multiply(shape, doubles_of(a), doubles_of(b))));
    }
    return problems;
}

}  // namespace trainscope::testing
