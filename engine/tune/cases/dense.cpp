// SPDX-License-Identifier: GPL-3.0-or-later
// Dense layer, alone and with ReLU.
#include "engine/ops/dense.h"

#include <cmath>
#include <type_traits>

#include "engine/ops/dense_relu.h"
#include "engine/ops/reference/dense.h"
#include "engine/ops/reference/relu.h"
#include "engine/tune/cases/operator.h"

namespace trainscope::bench {
namespace {

// Op is Dense or DenseRelu, whose results are the layer's with a ReLU behind it.
template <class Op>
class DenseCase final : public CaseOf<Op> {
  public:
    DenseCase(const BenchShape& written, const Dense::Shape& shape, BenchData data)
        : CaseOf<Op>(written, shape) {
        x_ = this->add_input("x", data.normal(shape.n * shape.in));
        weight_ = this->add_input("weight", data.normal(shape.out * shape.in));
        if (shape.bias) {
            bias_ = this->add_input("bias", data.normal(shape.out));
        }
        std::vector<float> dy = data.normal(shape.n * shape.out);
        if constexpr (has_relu) {
            cut_off_where_undecided(dy);
        }
        dy_ = this->add_input("dy", dy);
        y_ = this->add({.name = "y", .count = shape.n * shape.out, .saved = has_relu});
        dx_ = this->add_output("dx", shape.n * shape.in);
        dweight_ = this->add_output("dweight", shape.out * shape.in);
        BenchPass forward{.name = "forward",
                          .flops = 2 * static_cast<double>(shape.macs()),
                          .reads = {x_, weight_},
                          .writes = {y_}};
        BenchPass backward{.name = "backward",
                           .flops = 4 * static_cast<double>(shape.macs()),
                           .reads = {x_, weight_, dy_},
                           .writes = {dx_, dweight_}};
        if (shape.bias) {
            dbias_ = this->add_output("dbias", shape.out);
            forward.reads.push_back(bias_);
            backward.writes.push_back(dbias_);
        }
        if constexpr (has_relu) {
            backward.reads.push_back(y_);
        }
        this->add_pass(std::move(forward));
        this->add_pass(std::move(backward));
    }

    std::vector<ExpectedTensor> expected(std::size_t pass) const override {
        const Dense::Shape& s = this->op_shape();
        reference::Values y = product();
        if (pass == 0) {
            return {{y_, has_relu ? reference::relu(y) : std::move(y), s.in}};
        }
        const reference::Values dy = this->doubles(dy_);
        auto gradients = reference::dense_backward(s, this->doubles(x_), this->doubles(weight_),
                                                   has_relu ? reference::relu_backward(y, dy) : dy);
        std::vector<ExpectedTensor> expected = {{dx_, std::move(gradients.dx), s.out},
                                                {dweight_, std::move(gradients.dweight), s.n}};
        if (s.bias) {
            expected.push_back({dbias_, std::move(gradients.dbias), s.n});
        }
        return expected;
    }

  private:
    static constexpr bool has_relu = std::is_same_v<Op, DenseRelu>;

    reference::Values product() const {
        const Dense::Shape& s = this->op_shape();
        return reference::dense(s, this->doubles(x_), this->doubles(weight_),
                                s.bias ? this->doubles(bias_) : reference::Values{});
    }
    // So near to zero that float32 cannot tell the side, a right kernel may let pass what the
    // reference does not: no gradient arrives there.
    void cut_off_where_undecided(std::vector<float>& dy) const {
        constexpr double undecided = 1e-4;
        const reference::Values y = product();
        for (std::size_t i = 0; i < y.size(); ++i) {
            dy[i] = std::abs(y[i]) < undecided ? 0.0F : dy[i];
        }
    }

    void run(typename Op::Kernel& kernel, std::size_t pass, const BenchPointers& t,
             void* workspace) const override {
        const bool bias = this->op_shape().bias;
        if (pass == 0) {
            kernel.forward({.x = t[x_],
                            .weight = t[weight_],
                            .bias = bias ? t[bias_] : nullptr,
                            .y = t[y_],
                            .workspace = workspace});
            return;
        }
        const Dense::Backward backward{.x = t[x_],
                                       .weight = t[weight_],
                                       .dy = t[dy_],
                                       .dx = t[dx_],
                                       .dweight = t[dweight_],
                                       .dbias = bias ? t[dbias_] : nullptr,
                                       .accumulate = false,
                                       .workspace = workspace};
        if constexpr (has_relu) {
            kernel.backward({.dense = backward, .y = t[y_], .dy = t[dy_]});
        } else {
            kernel.backward(backward);
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

template <class Op>
Operator operator_of() {
    return {Op::name,
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
            [](const BenchShape& shape, BenchData data) -> std::unique_ptr<BenchCase> {
                return std::make_unique<DenseCase<Op>>(shape, read(shape).value(), data);
            }};
}

}  // namespace

const Operator& dense() {
    static const Operator op = operator_of<Dense>();
    return op;
}

const Operator& dense_relu() {
    static const Operator op = operator_of<DenseRelu>();
    return op;
}

}  // namespace trainscope::bench
