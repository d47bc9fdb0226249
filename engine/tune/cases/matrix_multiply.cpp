// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/matrix_multiply.h"

#include "engine/ops/reference/matrix.h"
#include "engine/tune/cases/operator.h"

namespace trainscope::bench {
namespace {

class MatrixMultiplyCase final : public CaseOf<MatrixMultiply> {
  public:
    MatrixMultiplyCase(const BenchShape& written, const MatrixMultiply::Shape& shape,
                       BenchData data)
        : CaseOf(written, shape) {
        a_ = add_input("a", data.normal(shape.m * shape.k));
        b_ = add_input("b", data.normal(shape.k * shape.n));
        c_ = add_output("c", shape.m * shape.n);
        add_pass({.name = "run",
                  .flops = 2 * static_cast<double>(shape.macs()),
                  .reads = {a_, b_},
                  .writes = {c_}});
    }

    std::vector<ExpectedTensor> expected(std::size_t /*pass*/) const override {
        return {
            {c_, reference::matrix_multiply(op_shape(), doubles(a_), doubles(b_)), op_shape().k}};
    }

  private:
    void run(MatrixMultiply::Kernel& kernel, std::size_t /*pass*/, const BenchPointers& t,
             void* workspace) const override {
        kernel.run({.a = t[a_], .b = t[b_], .c = t[c_], .workspace = workspace});
    }

    std::size_t a_ = 0, b_ = 0, c_ = 0;
};

Result<MatrixMultiply::Shape> read(const BenchShape& shape) {
    const MatrixMultiply::Shape s{.m = shape["m"], .n = shape["n"], .k = shape["k"]};
    for (const Result<void>& checked :
         {check_size("a", {s.m, s.k}), check_size("b", {s.k, s.n}), check_size("c", {s.m, s.n})}) {
        if (!checked) {
            return make_error(checked.error());
        }
    }
    return s;
}

std::unique_ptr<BenchCase> make(const BenchShape& shape, BenchData data) {
    return std::make_unique<MatrixMultiplyCase>(shape, read(shape).value(), data);
}

}  // namespace

const Operator& matrix_multiply() {
    static const Operator op{
        MatrixMultiply::name,
        {{.name = "m", .meaning = "rows of A", .usual = always<512>, .usual_text = "512"},
         {.name = "n",
          .meaning = "columns of B",
          .usual = [](const BenchShape& s) { return s["m"]; },
          .usual_text = "m"},
         {.name = "k",
          .meaning = "columns of A and rows of B",
          .usual = [](const BenchShape& s) { return s["m"]; },
          .usual_text = "m"}},
        check_by<read>,
        make};
    return op;
}

}  // namespace trainscope::bench
