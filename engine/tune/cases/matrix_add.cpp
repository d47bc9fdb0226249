// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/matrix_add.h"

#include "engine/tune/cases/operator.h"

namespace trainscope::bench {
namespace {

class MatrixAddCase final : public CaseOf<MatrixAdd> {
  public:
    MatrixAddCase(const BenchShape& written, const MatrixAdd::Shape& shape, BenchData data)
        : CaseOf(written, shape) {
        const std::int64_t elements = shape.m * shape.n;
        a_ = add_input("a", data.normal(elements));
        b_ = add_input("b", data.normal(elements));
        sum_ = add_output("sum", elements);
        add_pass({.name = "run",
                  .flops = static_cast<double>(elements),
                  .reads = {a_, b_},
                  .writes = {sum_}});
    }

    std::vector<ExpectedTensor> expected(std::size_t /*pass*/) const override {
        std::vector<double> sum = doubles(a_);
        const std::vector<double> b = doubles(b_);
        for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i] += b[i];
        }
        return {{sum_, std::move(sum), 1}};
    }

  private:
    void run(MatrixAdd::Kernel& kernel, std::size_t /*pass*/, const BenchPointers& t,
             void* /*workspace*/) const override {
        kernel.add(t[a_], t[b_], t[sum_]);
    }

    std::size_t a_ = 0, b_ = 0, sum_ = 0;
};

Result<MatrixAdd::Shape> read(const BenchShape& shape) {
    const MatrixAdd::Shape s{.m = shape["m"], .n = shape["n"]};
    if (const Result<void> checked = check_size("a", {s.m, s.n}); !checked) {
        return make_error(checked.error());
    }
    return s;
}

std::unique_ptr<BenchCase> make(const BenchShape& shape, BenchData data) {
    return std::make_unique<MatrixAddCase>(shape, read(shape).value(), data);
}

}  // namespace

const Operator& matrix_add() {
    static const Operator op{
        MatrixAdd::name,
        {{.name = "m", .meaning = "rows", .usual = always<1024>, .usual_text = "1024"},
         {.name = "n", .meaning = "columns", .usual = always<1024>, .usual_text = "1024"}},
        check_by<read>,
        make};
    return op;
}

}  // namespace trainscope::bench
