// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norm, alone and with ReLU.
#include "engine/ops/batch_norm.h"

#include <cmath>
#include <type_traits>

#include "engine/ops/batch_norm_relu.h"
#include "engine/ops/reference/batch_norm.h"
#include "engine/ops/reference/relu.h"
#include "engine/tune/cases/operator.h"

namespace trainscope::bench {
namespace {

// Op is BatchNorm or BatchNormRelu, whose results are batch norm's with a ReLU behind it.
template <class Op>
class BatchNormCase final : public CaseOf<Op> {
  public:
    BatchNormCase(const BenchShape& written, const BatchNorm::Shape& shape, BenchData data)
        : CaseOf<Op>(written, shape) {
        // A mean that is not zero, so that a variance by E[x^2] - E[x]^2 shows what it loses.
        std::vector<float> x = data.normal(shape.elements());
        for (float& value : x) {
            value += 10;
        }
        x_ = this->add_input("x", x);
        gamma_ = this->add_input("gamma", data.normal(shape.c));
        beta_ = this->add_input("beta", data.normal(shape.c));
        running_mean_ = this->add_input("running_mean", data.normal(shape.c));
        running_var_ = this->add_input("running_var", data.uniform(shape.c, 0.5, 2));
        std::vector<float> dy = data.normal(shape.elements());
        if constexpr (has_relu) {
            cut_off_where_undecided(dy);
        }
        dy_ = this->add_input("dy", dy);
        y_ = this->add_output("y", shape.elements());
        mean_ = this->add({.name = "saved_mean", .count = shape.c, .saved = true});
        invstd_ = this->add({.name = "saved_invstd", .count = shape.c, .saved = true});
        dx_ = this->add_output("dx", shape.elements());
        dgamma_ = this->add_output("dgamma", shape.c);
        dbeta_ = this->add_output("dbeta", shape.c);
        // Forward: 1 for the mean, 3 for the variance, 4 for y. Backward: 1 for dbeta, 4 for dgamma
        // with xhat, 5 for dx; 2 for what ReLU decides by.
        const auto elements = static_cast<double>(shape.elements());
        BenchPass forward{.name = "forward",
                          .flops = 8 * elements,
                          .reads = {x_, gamma_, beta_, running_mean_, running_var_},
                          .writes = {y_, running_mean_, running_var_, mean_, invstd_}};
        BenchPass backward{.name = "backward",
                           .flops = (has_relu ? 12 : 10) * elements,
                           .reads = {x_, gamma_, mean_, invstd_, dy_},
                           .writes = {dx_, dgamma_, dbeta_}};
        if constexpr (has_relu) {
            rest_ = this->add({.name = "saved_rest", .count = shape.c, .saved = true});
            forward.writes.push_back(rest_);
            backward.reads.insert(backward.reads.end(), {beta_, rest_});
        }
        this->add_pass(std::move(forward));
        this->add_pass(std::move(backward));
    }

    std::vector<ExpectedTensor> expected(std::size_t pass) const override {
        const BatchNorm::Shape& s = this->op_shape();
        const std::int64_t terms = s.values_per_channel();
        reference::BatchNormResult forward = normalized();
        if (pass == 0) {
            return {{y_, has_relu ? reference::relu(forward.y) : std::move(forward.y), terms},
                    {running_mean_, std::move(forward.after.running_mean), terms},
                    {running_var_, std::move(forward.after.running_var), terms}};
        }
        const reference::Values dy = this->doubles(dy_);
        auto backward = reference::batch_norm_backward(
            s, this->doubles(x_), this->doubles(gamma_), forward.mean, forward.invstd,
            has_relu ? reference::relu_backward(forward.y, dy) : dy);
        return {{dx_, std::move(backward.dx), terms},
                {dgamma_, std::move(backward.dgamma), terms},
                {dbeta_, std::move(backward.dbeta), terms}};
    }

  private:
    static constexpr bool has_relu = std::is_same_v<Op, BatchNormRelu>;

    reference::BatchNormResult normalized() const {
        const BatchNorm::Shape& s = this->op_shape();
        return reference::batch_norm(s, static_cast<double>(s.eps), static_cast<double>(s.momentum),
                                     this->doubles(x_), this->doubles(gamma_), this->doubles(beta_),
                                     {this->doubles(running_mean_), this->doubles(running_var_)});
    }
    // So near to zero that float32 cannot tell the side, a right kernel may let pass what the
    // reference does not: no gradient arrives there.
    void cut_off_where_undecided(std::vector<float>& dy) const {
        constexpr double undecided = 1e-4;
        const reference::Values y = normalized().y;
        for (std::size_t i = 0; i < y.size(); ++i) {
            dy[i] = std::abs(y[i]) < undecided ? 0.0F : dy[i];
        }
    }

    void run(typename Op::Kernel& kernel, std::size_t pass, const BenchPointers& t,
             void* workspace) const override {
        const BatchNorm::Forward forward{.x = t[x_],
                                         .gamma = t[gamma_],
                                         .beta = t[beta_],
                                         .y = t[y_],
                                         .running_mean = t[running_mean_],
                                         .running_var = t[running_var_],
                                         .saved_mean = t[mean_],
                                         .saved_invstd = t[invstd_],
                                         .workspace = workspace};
        const BatchNorm::Backward backward{.x = t[x_],
                                           .gamma = t[gamma_],
                                           .saved_mean = t[mean_],
                                           .saved_invstd = t[invstd_],
                                           .dy = t[dy_],
                                           .dx = t[dx_],
                                           .dgamma = t[dgamma_],
                                           .dbeta = t[dbeta_],
                                           .accumulate = false,
                                           .workspace = workspace};
        if constexpr (has_relu) {
            pass == 0
                ? kernel.forward({.norm = forward, .saved_rest = t[rest_]})
                : kernel.backward({.norm = backward, .beta = t[beta_], .saved_rest = t[rest_]});
        } else {
            pass == 0 ? kernel.forward(forward) : kernel.backward(backward);
        }
    }

    std::size_t x_ = 0, gamma_ = 0, beta_ = 0, running_mean_ = 0, running_var_ = 0, dy_ = 0;
    std::size_t y_ = 0, mean_ = 0, invstd_ = 0, rest_ = 0, dx_ = 0, dgamma_ = 0, dbeta_ = 0;
};

Result<BatchNorm::Shape> read(const BenchShape& shape) {
    const BatchNorm::Shape s{.n = shape["n"], .c = shape["c"], .h = shape["h"], .w = shape["w"]};
    if (const Result<void> checked = check_size("x", {s.n, s.c, s.h, s.w}); !checked) {
        return make_error(checked.error());
    }
    if (s.values_per_channel() == 1) {
        return make_error(ErrorCode::invalid_argument,
                          "batch norm needs more than one value a channel (n * h * w)");
    }
    return s;
}

template <class Op>
Operator operator_of() {
    return {Op::name,
            {{.name = "n", .meaning = "samples", .usual = always<32>, .usual_text = "32"},
             {.name = "c", .meaning = "channels", .usual = always<32>, .usual_text = "32"},
             {.name = "h", .meaning = "height", .usual = always<28>, .usual_text = "28"},
             {.name = "w",
              .meaning = "width",
              .usual = [](const BenchShape& s) { return s["h"]; },
              .usual_text = "h"}},
            check_by<read>,
            [](const BenchShape& shape, BenchData data) -> std::unique_ptr<BenchCase> {
                return std::make_unique<BatchNormCase<Op>>(shape, read(shape).value(), data);
            }};
}

}  // namespace

const Operator& batch_norm() {
    static const Operator op = operator_of<BatchNorm>();
    return op;
}

const Operator& batch_norm_relu() {
    static const Operator op = operator_of<BatchNormRelu>();
    return op;
}

}  // namespace trainscope::bench
