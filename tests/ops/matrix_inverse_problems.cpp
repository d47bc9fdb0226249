// SPDX-License-Identifier: GPL-3.0-or-later
// Problems of inverses and pseudo-inverses from the golden case and from random numbers.
#include <fmt/format.h>

#include <cmath>

#include "engine/ops/reference/matrix.h"
#include "tests/ops/problems.h"

namespace trainscope::testing {
namespace {

// Normal numbers, and on the diagonal that runs up what keeps the matrix far from singular; its
// pivots are nowhere at their places.
Floats far_from_singular(std::int64_t m, std::int64_t n) {
    const std::int64_t least = std::min(m, n);
    Floats a = random_floats(m * n, 1, 1 / std::sqrt(static_cast<double>(std::max(m, n))));
    for (std::int64_t i = 0; i < least; ++i) {
        a[static_cast<std::size_t>(i * n + least - 1 - i)] += 3;
    }
    return a;
}

class InverseProblem final : public ProblemOf<MatrixInverse> {
  public:
    InverseProblem(std::string name, const MatrixInverse::Shape& shape, Floats a, Doubles inverse)
        : ProblemOf(std::move(name), shape), a_(std::move(a)), inverse_(std::move(inverse)) {}

    void expect_solved_by_reference() const override {
        EXPECT_TRUE(is_close("inverse", reference::matrix_inverse(shape(), doubles_of(a_)),
                             inverse_, reference_tolerance));
    }

  private:
    void expect_solved(MatrixInverse::Kernel& kernel, Workspace& workspace) const override {
        EXPECT_EQ(inverse(kernel, workspace), inverse(kernel, workspace)) << "run again";
        // A column of zeros: no inverse, and the kernel says at which pivot. Afterwards it goes on.
        Floats singular = a_;
        const auto n = static_cast<std::size_t>(shape().n);
        for (std::size_t row = 0; row < n; ++row) {
            singular[row * n + n / 2] = 0;
        }
        Guarded<float> result(inverse_.size());
        Guarded<std::int32_t> info(1);
        kernel.run({.a = singular.data(),
                    .inverse = result.data(),
                    .info = info.data(),
                    .workspace = workspace.fresh()});
        EXPECT_GE(info.values()[0], 1);
        EXPECT_LE(info.values()[0], shape().n);
        EXPECT_TRUE(result.is_intact("inverse"));
        inverse(kernel, workspace);
    }
    Floats inverse(MatrixInverse::Kernel& kernel, Workspace& workspace) const {
        Guarded<float> result(inverse_.size());
        Guarded<std::int32_t> info(1);
        kernel.run({.a = a_.data(),
                    .inverse = result.data(),
                    .info = info.data(),
                    .workspace = workspace.fresh()});
        EXPECT_EQ(info.values()[0], 0);
        EXPECT_TRUE(is_close("inverse", result.values(), inverse_, tolerance(shape().n)));
        EXPECT_TRUE(result.is_intact("inverse") && info.is_intact("info"));
        return result.copy();
    }

    Floats a_;
    Doubles inverse_;
};

class PseudoInverseProblem final : public ProblemOf<MatrixPseudoInverse> {
  public:
    // The golden case's matrix is of rank 2 in float64 only: kernels get what float32 has of it.
    PseudoInverseProblem(std::string name, const MatrixPseudoInverse::Shape& shape, Doubles a,
                         Doubles inverse)
        : ProblemOf(std::move(name), shape),
          exact_(std::move(a)),
          a_(exact_.begin(), exact_.end()),
          inverse_(std::move(inverse)) {}

    void expect_solved_by_reference() const override {
        const auto zero = static_cast<double>(MatrixPseudoInverse::zero_share(shape()));
        EXPECT_TRUE(is_close("pseudo-inverse",
                             reference::matrix_pseudo_inverse(shape(), exact_, zero), inverse_,
                             reference_tolerance));
    }

  private:
    void expect_solved(MatrixPseudoInverse::Kernel& kernel, Workspace& workspace) const override {
        EXPECT_EQ(inverse(kernel, workspace), inverse(kernel, workspace)) << "run again";
    }
    Floats inverse(MatrixPseudoInverse::Kernel& kernel, Workspace& workspace) const {
        Guarded<float> result(inverse_.size());
        Guarded<std::int32_t> info(1);
        kernel.run({.a = a_.data(),
                    .pseudo_inverse = result.data(),
                    .info = info.data(),
                    .workspace = workspace.fresh()});
        EXPECT_EQ(info.values()[0], 0);
        EXPECT_TRUE(
            is_close("pseudo-inverse", result.values(), inverse_, tolerance(shape().most())));
        EXPECT_TRUE(result.is_intact("pseudo-inverse") && info.is_intact("info"));
        return result.copy();
    }

    Doubles exact_;
    Floats a_;
    Doubles inverse_;
};

void add_pseudo_inverse(Problems& problems, std::string name,
                        const MatrixPseudoInverse::Shape& shape, Floats a) {
    const auto zero = static_cast<double>(MatrixPseudoInverse::zero_share(shape));
    Doubles inverse = reference::matrix_pseudo_inverse(shape, doubles_of(a), zero);
    problems.push_back(std::make_unique<PseudoInverseProblem>(std::move(name), shape, doubles_of(a),
                                                              std::move(inverse)));
}

}  // namespace

std::unique_ptr<Problem> golden_matrix_inverse(const GoldenCase& golden) {
    return std::make_unique<InverseProblem>(golden.name,
                                            MatrixInverse::Shape{.n = golden.size("square", 0)},
                                            golden.floats("square"), golden.doubles("inverse"));
}

Problems ugly_matrix_inverse() {
    Problems problems;
    for (const std::int64_t n : {1, 2, 3, 31, 33, 64, 129}) {
        Floats a = far_from_singular(n, n);
        Doubles inverse = reference::matrix_inverse({.n = n}, doubles_of(a));
        problems.push_back(std::make_unique<InverseProblem>(fmt::format("[{}, {}]", n, n),
                                                            MatrixInverse::Shape{.n = n},
                                                            std::move(a), std::move(inverse)));
    }
    return problems;
}

std::unique_ptr<Problem> golden_matrix_pseudo_inverse(const GoldenCase& golden) {
    return std::make_unique<PseudoInverseProblem>(
        golden.name,
        MatrixPseudoInverse::Shape{.m = golden.size("rank2", 0), .n = golden.size("rank2", 1)},
        golden.doubles("rank2"), golden.doubles("rank2_pseudo_inverse"));
}

Problems ugly_matrix_pseudo_inverse() {
    Problems problems;
    for (const MatrixPseudoInverse::Shape& shape : std::vector<MatrixPseudoInverse::Shape>{
             {}, {1, 7}, {7, 1}, {2, 2}, {31, 33}, {33, 31}, {64, 64}, {65, 17}, {17, 130}}) {
        const std::string name = fmt::format("[{}, {}]", shape.m, shape.n);
        Floats a = far_from_singular(shape.m, shape.n);
        add_pseudo_inverse(problems, name, shape, a);
        if (shape.least() > 1) {
            std::copy_n(a.begin(), shape.n, a.end() - shape.n);
            add_pseudo_inverse(problems, name + ", with a row twice", shape, std::move(a));
        }
    }
    add_pseudo_inverse(problems, "[5, 3] of zeros", {5, 3}, Floats(15, 0.0F));
    return problems;
}

}  // namespace trainscope::testing
