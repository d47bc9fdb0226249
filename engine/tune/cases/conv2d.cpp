// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/conv2d.h"

#include "engine/ops/reference/conv2d.h"
#include "engine/tune/cases/conv2d_shape.h"

namespace trainscope::bench {
namespace {

class Conv2dCase final : public CaseOf<Conv2d> {
  public:
    Conv2dCase(const BenchShape& written, const Conv2d::Shape& shape, BenchData data)
        : CaseOf(written, shape) {
        x_ = add_input("x", data.normal(shape.input_elements()));
        weight_ = add_input("weight", data.normal(shape.weight_elements()));
        dy_ = add_input("dy", data.normal(shape.output_elements()));
        y_ = add_output("y", shape.output_elements());
        dx_ = add_output("dx", shape.input_elements());
        dweight_ = add_output("dweight", shape.weight_elements());
        BenchPass forward{.name = "forward",
                          .flops = 2 * static_cast<double>(shape.macs()),
                          .reads = {x_, weight_},
                          .writes = {y_}};
        BenchPass backward{.name = "backward",
                           .flops = 4 * static_cast<double>(shape.macs()),
                           .reads = {x_, weight_, dy_},
                           .writes = {dx_, dweight_}};
        if (shape.bias) {
            bias_ = add_input("bias", data.normal(shape.k));
            dbias_ = add_output("dbias", shape.k);
            forward.reads.push_back(bias_);
            backward.writes.push_back(dbias_);
        }
        add_pass(std::move(forward));
        add_pass(std::move(backward));
    }

    std::vector<ExpectedTensor> expected(std::size_t pass) const override {
        const Conv2d::Shape& s = op_shape();
        if (pass == 0) {
            return {{y_,
                     reference::conv2d(s, doubles(x_), doubles(weight_),
                                       s.bias ? doubles(bias_) : reference::Values{}),
                     s.c / s.groups * s.r * s.s}};
        }
        auto gradients = reference::conv2d_backward(s, doubles(x_), doubles(weight_), doubles(dy_));
        const std::int64_t over_batch = s.n * s.out_h() * s.out_w();
        std::vector<ExpectedTensor> expected = {
            {dx_, std::move(gradients.dx), s.k / s.groups * s.r * s.s},
            {dweight_, std::move(gradients.dweight), over_batch}};
        if (s.bias) {
            expected.push_back({dbias_, std::move(gradients.dbias), over_batch});
        }
        return expected;
    }

  private:
    void run(Conv2d::Kernel& kernel, std::size_t pass, const BenchPointers& t,
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

std::unique_ptr<BenchCase> make(const BenchShape& shape, BenchData data) {
    return std::make_unique<Conv2dCase>(shape, conv2d_shape(shape).value(), data);
}

}  // namespace

const Operator& conv2d() {
    static const Operator op{Conv2d::name, conv2d_fields(), check_by<conv2d_shape>, make};
    return op;
}

}  // namespace trainscope::bench
