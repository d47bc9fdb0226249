// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/relu.h"

#include "engine/ops/reference/relu.h"
#include "engine/tune/cases/operator.h"

namespace trainscope::bench {
namespace {

class ReluCase final : public CaseOf<Relu> {
  public:
    ReluCase(const BenchShape& written, const Relu::Shape& shape, BenchData data)
        : CaseOf(written, shape) {
        x_ = add_input("x", data.normal(shape.elements));
        dy_ = add_input("dy", data.normal(shape.elements));
        y_ = add({.name = "y", .count = shape.elements, .saved = true});
        dx_ = add_output("dx", shape.elements);
        const auto flops = static_cast<double>(shape.elements);  // a comparison each
        add_pass({.name = "forward", .flops = flops, .reads = {x_}, .writes = {y_}});
        add_pass({.name = "backward", .flops = flops, .reads = {y_, dy_}, .writes = {dx_}});
    }

    std::vector<ExpectedTensor> expected(std::size_t pass) const override {
        reference::Values y = reference::relu(doubles(x_));
        if (pass == 0) {
            return {{y_, std::move(y), 0}};
        }
        return {{dx_, reference::relu_backward(y, doubles(dy_)), 0}};
    }

  private:
    void run(Relu::Kernel& kernel, std::size_t pass, const BenchPointers& t,
             void* /*workspace*/) const override {
        if (pass == 0) {
            kernel.forward(t[x_], t[y_]);
        } else {
            kernel.backward(t[y_], t[dy_], t[dx_]);
        }
    }

    std::size_t x_ = 0, dy_ = 0, y_ = 0, dx_ = 0;
};

Result<Relu::Shape> read(const BenchShape& shape) {
    return Relu::Shape{.elements = shape["elements"]};
}

std::unique_ptr<BenchCase> make(const BenchShape& shape, BenchData data) {
    return std::make_unique<ReluCase>(shape, read(shape).value(), data);
}

}  // namespace

const Operator& relu() {
    static const Operator op{Relu::name,
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
