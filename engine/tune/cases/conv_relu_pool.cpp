// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/conv_relu_pool.h"

#include "engine/ops/reference/conv2d.h"
#include "engine/ops/reference/max_pool2d.h"
#include "engine/ops/reference/relu.h"
#include "engine/tune/cases/conv2d_shape.h"

namespace trainscope::bench {
namespace {

class ConvReluPoolCase final : public CaseOf<ConvReluPool> {
  public:
    ConvReluPoolCase(const BenchShape& written, const ConvReluPool::Shape& shape, BenchData data)
        : CaseOf(written, shape) {
        const Conv2d::Shape& conv = shape.conv;
        x_ = add_input("x", data.normal(conv.input_elements()));
        weight_ = add_input("weight", data.normal(conv.weight_elements()));
        const std::int64_t outputs = shape.pool.output_elements();
        dy_ = add_input("dy", data.normal(outputs));
        y_ = add_output("y", outputs);
        index_ =
            add({.name = "index", .element = BenchElement::uint8, .count = outputs, .saved = true});
        dx_ = add_output("dx", conv.input_elements());
        dweight_ = add_output("dweight", conv.weight_elements());
        // Of the convolution alone. On the way back only the windows' winners have a gradient.
        const double winners =
            static_cast<double>(outputs) / static_cast<double>(conv.output_elements());
        BenchPass forward{.name = "forward",
                          .flops = 2 * static_cast<double>(conv.macs()),
                          .reads = {x_, weight_},
                          .writes = {y_, index_}};
        BenchPass backward{.name = "backward",
                           .flops = 4 * winners * static_cast<double>(conv.macs()),
                           .reads = {x_, weight_, index_, dy_},
                           .writes = {dx_, dweight_}};
        if (conv.bias) {
            bias_ = add_input("bias", data.normal(conv.k));
            dbias_ = add_output("dbias", conv.k);
            forward.reads.push_back(bias_);
            backward.writes.push_back(dbias_);
        }
        add_pass(std::move(forward));
        add_pass(std::move(backward));
    }

    std::vector<ExpectedTensor> expected(std::size_t pass) const override {
        const Conv2d::Shape& s = op_shape().conv;
        const reference::Values x = doubles(x_);
        const reference::Values weight = doubles(weight_);
        const reference::Values active = reference::relu(
            reference::conv2d(s, x, weight, s.bias ? doubles(bias_) : reference::Values{}));
        auto pooled = reference::max_pool2d(op_shape().pool, active);
        if (pass == 0) {
            return {{y_, std::move(pooled.y), s.c / s.groups * s.r * s.s}};
        }
        auto gradients = reference::conv2d_backward(
            s, x, weight,
            reference::relu_backward(active, reference::max_pool2d_backward(
                                                 op_shape().pool, doubles(dy_), pooled.index)));
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
    void run(ConvReluPool::Kernel& kernel, std::size_t pass, const BenchPointers& t,
             void* workspace) const override {
        const bool bias = op_shape().conv.bias;
        auto* const index = t.as<std::uint8_t>(index_);
        if (pass == 0) {
            kernel.forward({.x = t[x_],
                            .weight = t[weight_],
                            .bias = bias ? t[bias_] : nullptr,
                            .y = t[y_],
                            .index = index,
                            .workspace = workspace});
        } else {
            kernel.backward({.x = t[x_],
                             .weight = t[weight_],
                             .index = index,
                             .dy = t[dy_],
                             .dx = t[dx_],
                             .dweight = t[dweight_],
                             .dbias = bias ? t[dbias_] : nullptr,
                             .accumulate = false,
                             .workspace = workspace});
        }
    }

    std::size_t x_ = 0, weight_ = 0, bias_ = 0, dy_ = 0, y_ = 0, index_ = 0;
    std::size_t dx_ = 0, dweight_ = 0, dbias_ = 0;
};

Result<ConvReluPool::Shape> read(const BenchShape& shape) {
    const Result<Conv2d::Shape> conv = conv2d_shape(shape);
    if (!conv) {
        return make_error(conv.error());
    }
    const std::int64_t pool = shape["pool"];
    for (const std::int64_t size : {conv->out_h(), conv->out_w()}) {
        if (const auto fits = check_window(fmt::format("pool={}", pool), pool, size, 0); !fits) {
            return make_error(fits.error());
        }
    }
    const MaxPool2d::Shape pooled{.n = conv->n,
                                  .c = conv->k,
                                  .h = conv->out_h(),
                                  .w = conv->out_w(),
                                  .kernel_h = pool,
                                  .kernel_w = pool,
                                  .stride_h = pool,
                                  .stride_w = pool};
    return ConvReluPool::Shape{*conv, pooled};
}

std::unique_ptr<BenchCase> make(const BenchShape& shape, BenchData data) {
    return std::make_unique<ConvReluPoolCase>(shape, read(shape).value(), data);
}

std::vector<BenchField> fields() {
    std::vector<BenchField> fields = conv2d_fields();
    fields.push_back({.name = "pool",
                      .meaning = "window and stride of the pooling",
                      .usual = always<2>,
                      .usual_text = "2",
                      .most = 15});
    return fields;
}

}  // namespace

const Operator& conv_relu_pool() {
    static const Operator op{ConvReluPool::name, fields(), check_by<read>, make};
    return op;
}

}  // namespace trainscope::bench
