// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/dense.h"

#include "engine/ops/reference/dense.h"
#include "engine/tune/cases/operator.h"

namespace trainscope::bench {
namespace {

class DenseCase final : public CaseOf<Dense> {
  public:
    DenseCase(const BenchShape& written, const Dense::Shape& shape, BenchData data)
        : CaseOf(written, shape) {
        x_ = add_input("x", data.normal(shape.n * shape.in));
        weight_ = add_input("weight", data.normal(shape.out * shape.in));
        dy_ = add_input("dy", data.normal(shape.n * shape.out));
        y_ = add_output("y", shape.n * shape.out);
        dx_ = add_output("dx", shape.n * shape.in);
        dweight_ = add_output("dweight", shape.out * shape.in);
        BenchPass forward{.name = "forward",
                          .flops = 2 * static_cast<double>(shape.macs()),
                          .reads = {x_, weight_},
                          .writes = {y_}};
        BenchPass backward{.name = "backward",
                           .flops = 4 * static_cast<double>(shape.macs()),
                           .reads = {x_, weight_, dy_},
                           .writes = {dx_, dweight_}};
        if (shape.bias) {
            bias_ = add_input("bias", data.normal(shape.out));
            dbias_ = add_output("dbias", shape.out);
            forward.reads.push_back(bias_);
            backward.writes.push_back(dbias_);
        }
        add_pass(std::move(forward));
        add_pass(std::move(backward));
    }

    std::vector<ExpectedTensor> expected(std::size_t pass) const override {
        const Dense::Shape& s = op_shape();
        if (pass == 0) {
            return {{y_,
                     reference::dense(s, doubles(x_), doubles(weight_),
                                      s.bias ? doubles(bias_) : reference::Values{}),
                     s.in}};
        }
        auto gradients = reference::dense_backward(s, doubles(x_), doubles(weight_), doubles(dy_));
        std::vector<ExpectedTensor> expected = {{dx_, std::move(gradients.dx), s.out},
                                                {dweight_, std::move(gradients.dweight), s.n}};
        if (s.bias) {
            expected.push_back({dbias_, std::move(gradients.dbias), s.n});
        }
        return expected;
    }

  private:
    void run(Dense::Kernel& kernel, std::size_t pass, const BenchPointers& t,
             void* workspace) const override {
        const bool bias = op_shape().bias;
        if (pass == 0) {
            kernel.forward({.x = t[x_],
                            .weight = t[weight_],
                            .bias = bias ? t[bias_] : nullptr,
                            .y = t[y_],
                            .workspace = workspace});
        } else {
            kernel.backward({.x = t[x_],
                             .weight = t[weight_],
                             .dy = t[dy_],
                             .dx = t[dx_],
                             .dweight = t[dweight_],
                             .dbias = bias ? t[dbias_] : nullptr,
                             .accumulate = false,
                             .workspace = workspace});
        }
    }

    std::size_t x_ = 0, weight_ = 0, bias_ = 0, dy_ = 0, y_ = 0, dx_ = 0, dweight_ = 0, dbias_ = 0;
};

Result<Dense::Shape> read(const BenchShape& shape) {
    const Dense::Shape s{
        .n = shape["n"], .in = shape["in"], .out = shape["out"], .bias = shape["bias"] == 1};
    for (const Result<void>& checked :
         {check_size("x", {s.n, s.in}), check_size("weight", {s.out, s.in}),
          check_size("y", {s.n, s.out})}) {
        if (!checked) {
            return make_error(checked.error());
        }
    }
    return s;
}

std::unique_ptr<BenchCase> make(const BenchShape& shape, BenchData data) {
    return std::make_unique<DenseCase>(shape, read(shape).value(), data);
}

}  // namespace

const Operator& dense() {
    static const Operator op{
        Dense::name,
        {{.name = "n", .meaning = "samples", .usual = always<128>, .usual_text = "128"},
         {.name = "in", .meaning = "inputs", .usual = always<1024>, .usual_text = "1024"},
         {.name = "out", .meaning = "outputs", .usual = always<1024>, .usual_text = "1024"},
         {.name = "bias",
          .meaning = "0: without",
          .usual = always<1>,
          .usual_text = "1",
          .least = 0,
          .most = 1,
          .shown_when_usual = false}},
        check_by<read>,
        make};
    return op;
}

}  // namespace trainscope::bench
