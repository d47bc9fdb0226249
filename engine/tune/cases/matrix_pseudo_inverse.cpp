// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/matrix_pseudo_inverse.h"

#include "engine/ops/reference/matrix.h"
#include "engine/tune/cases/matrix.h"

namespace trainscope::bench {
namespace {

using Shape = MatrixPseudoInverse::Shape;

// Of min(m, n) columns or rows the last half become those of the first.
void halve_rank(const Shape& shape, std::vector<float>& a) {
    const std::int64_t half = (shape.least() + 1) / 2;
    for (std::int64_t row = 0; row < shape.m; ++row) {
        for (std::int64_t column = 0; column < shape.n; ++column) {
            const bool tall = shape.m > shape.n;
            const std::int64_t from_row = tall ? row : row % half;
            const std::int64_t from_column = tall ? column % half : column;
            a[static_cast<std::size_t>(row * shape.n + column)] =
                a[static_cast<std::size_t>(from_row * shape.n + from_column)];
        }
    }
}

class MatrixPseudoInverseCase final : public CaseOf<MatrixPseudoInverse> {
  public:
    MatrixPseudoInverseCase(const BenchShape& written, const Shape& shape, BenchData data)
        : CaseOf(written, shape) {
        std::vector<float> a = far_from_singular(shape.m, shape.n, data);
        if (is_deficient(written)) {
            halve_rank(shape, a);
        }
        a_ = add_input("a", a);
        inverse_ = add_output("pseudo_inverse", shape.m * shape.n);
        info_ = add({.name = "info", .element = BenchElement::int32, .count = 1});
        // 14 m n^2 + 8 n^3 for S, V and the first n columns of U, m >= n (Golub and Reinsch's way:
        // Golub and Van Loan, Matrix Computations, 4th ed., figure 8.6.1), 2 m n^2 for the product.
        const auto most = static_cast<double>(shape.most());
        const auto least = static_cast<double>(shape.least());
        add_pass({.name = "run",
                  .flops = (16 * most + 8 * least) * least * least,
                  .reads = {a_},
                  .writes = {inverse_, info_}});
    }

    std::vector<ExpectedTensor> expected(std::size_t /*pass*/) const override {
        const auto zero = static_cast<double>(MatrixPseudoInverse::zero_share(op_shape()));
        return {{inverse_, reference::matrix_pseudo_inverse(op_shape(), doubles(a_), zero),
                 op_shape().most()}};
    }

    Result<void> outcome(
        const std::function<std::vector<double>(std::size_t)>& read) const override {
        return MatrixPseudoInverse::outcome(static_cast<std::int32_t>(read(info_).front()));
    }

  private:
    void run(MatrixPseudoInverse::Kernel& kernel, std::size_t /*pass*/, const BenchPointers& t,
             void* workspace) const override {
        kernel.run({.a = t[a_],
                    .pseudo_inverse = t[inverse_],
                    .info = t.as<std::int32_t>(info_),
                    .workspace = workspace});
    }

    std::size_t a_ = 0, inverse_ = 0, info_ = 0;
};

Result<Shape> read(const BenchShape& shape) {
    const Shape s{.m = shape["m"], .n = shape["n"]};
    if (const Result<void> checked = check_size("a", {s.m, s.n}); !checked) {
        return make_error(checked.error());
    }
    return s;
}

std::unique_ptr<BenchCase> make(const BenchShape& shape, BenchData data) {
    return std::make_unique<MatrixPseudoInverseCase>(shape, read(shape).value(), data);
}

}  // namespace

const Operator& matrix_pseudo_inverse() {
    static const Operator op{
        MatrixPseudoInverse::name,
        {{.name = "m", .meaning = "rows", .usual = always<256>, .usual_text = "256"},
         {.name = "n", .meaning = "columns", .usual = always<128>, .usual_text = "128"},
         rank_field("full, or deficient: half of it")},
        check_by<read>,
        make};
    return op;
}

}  // namespace trainscope::bench
