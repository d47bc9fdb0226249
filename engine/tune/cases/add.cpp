// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/add.h"

#include "engine/tune/cases/operator.h"

namespace trainscope::bench {
namespace {

class AddCase final : public CaseOf<Add> {
  public:
    AddCase(const BenchShape& written, const Add::Shape& shape, BenchData data)
        : CaseOf(written, shape) {
        a_ = add_input("a", data.normal(shape.elements));
        b_ = add_input("b", data.normal(shape.elements));
        sum_ = add_output("sum", shape.elements);
        add_pass({.name = "run",
                  .flops = static_cast<double>(shape.elements),
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
    void run(Add::Kernel& kernel, std::size_t /*pass*/, const BenchPointers& t,
             void* /*workspace*/) const override {
        kernel.add(t[a_], t[b_], t[sum_]);
    }

    std::size_t a_ = 0, b_ = 0, sum_ = 0;
};

Result<Add::Shape> read(const BenchShape& shape) {
    return Add::Shape{.elements = shape["elements"]};
}

std::unique_ptr<BenchCase> make(const BenchShape& shape, BenchData data) {
    return std::make_unique<AddCase>(shape, read(shape).value(), data);
}

}  // namespace

const Operator& add() {
    static const Operator op{Add::name,
                             {{.name = "elements",
                               .meaning = "of each tensor",
                               .usual = always<1 << 20>,
                               .usual_text = "1048576",
                               .most = std::int64_t{1} << 31}},
                             check_by<read>,
                             make};
    return op;
}

}  // namespace trainscope::bench
