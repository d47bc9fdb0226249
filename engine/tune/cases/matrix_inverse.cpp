// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/matrix_inverse.h"

#include "engine/ops/reference/matrix.h"
#include "engine/tune/cases/matrix.h"

namespace trainscope::bench {
namespace {

class MatrixInverseCase final : public CaseOf<MatrixInverse> {
  public:
    MatrixInverseCase(const BenchShape& written, const MatrixInverse::Shape& shape, BenchData data)
        : CaseOf(written, shape) {
        const std::int64_t n = shape.n;
        std::vector<float> a = far_from_singular(n, n, data);
        for (std::int64_t row = 0; is_deficient(written) && row < n; ++row) {
            a[static_cast<std::size_t>(row * n + n - 1)] = 0;  // a column
        }
        a_ = add_input("a", a);
        inverse_ = add_output("inverse", n * n);
        info_ = add({.name = "info", .element = BenchElement::int32, .count = 1});
        // 2/3 n^3 for the factors and 4/3 n^3 for the inverse of them: the leading terms of what
        // getrf and getri count (LAPACK Working Note 41, appendix C).
        const auto side = static_cast<double>(n);
        add_pass({.name = "run",
                  .flops = 2 * side * side * side,
                  .reads = {a_},
                  .writes = {inverse_, info_}});
    }

    std::vector<ExpectedTensor> expected(std::size_t /*pass*/) const override {
        if (is_deficient(shape())) {
            return {{info_, {static_cast<double>(op_shape().n)}, 0}};
        }
        return {{inverse_, reference::matrix_inverse(op_shape(), doubles(a_)), op_shape().n}};
    }

    Result<void> outcome(
        const std::function<std::vector<double>(std::size_t)>& read) const override {
        return MatrixInverse::outcome(static_cast<std::int32_t>(read(info_).front()));
    }

  private:
    void run(MatrixInverse::Kernel& kernel, std::size_t /*pass*/, const BenchPointers& t,
             void* workspace) const override {
        kernel.run({.a = t[a_],
                    .inverse = t[inverse_],
                    .info = t.as<std::int32_t>(info_),
                    .workspace = workspace});
    }

    std::size_t a_ = 0, inverse_ = 0, info_ = 0;
};

Result<MatrixInverse::Shape> read(const BenchShape& shape) {
    const MatrixInverse::Shape s{.n = shape["n"]};
    if (const Result<void> checked = check_size("a", {s.n, s.n}); !checked) {
        return make_error(checked.error());
    }
    return s;
}

std::unique_ptr<BenchCase> make(const BenchShape& shape, BenchData data) {
    return std::make_unique<MatrixInverseCase>(shape, read(shape).value(), data);
}

}  // namespace

const Operator& matrix_inverse() {
    static const Operator op{
        MatrixInverse::name,
        {{.name = "n", .meaning = "rows and columns", .usual = always<512>, .usual_text = "512"},
         rank_field("full, or deficient: then there is no inverse")},
        check_by<read>,
        make,
        3};
    return op;
}

}  // namespace trainscope::bench
