// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/batch_norm.h"

#include "engine/ops/reference/batch_norm.h"
#include "engine/tune/cases/operator.h"

namespace trainscope::bench {
namespace {

class BatchNormCase final : public CaseOf<BatchNorm> {
  public:
    BatchNormCase(const BenchShape& written, const BatchNorm::Shape& shape, BenchData data)
        : CaseOf(written, shape) {
        // A mean that is not zero, so that a variance by E[x^2] - E[x]^2 shows what it loses.
        std::vector<float> x = data.normal(shape.elements());
        for (float& value : x) {
            value += 10;
        }
        x_ = add_input("x", x);
        gamma_ = add_input("gamma", data.normal(shape.c));
        beta_ = add_input("beta", data.normal(shape.c));
        running_mean_ = add_input("running_mean", data.normal(shape.c));
        running_var_ = add_input("running_var", data.uniform(shape.c, 0.5, 2));
        dy_ = add_input("dy", data.normal(shape.elements()));
        y_ = add_output("y", shape.elements());
        mean_ = add({.name = "saved_mean", .count = shape.c, .saved = true});
        invstd_ = add({.name = "saved_invstd", .count = shape.c, .saved = true});
        dx_ = add_output("dx", shape.elements());
        dgamma_ = add_output("dgamma", shape.c);
        dbeta_ = add_output("dbeta", shape.c);
        // Forward: 1 for the mean, 3 for the variance, 4 for y. Backward: 1 for dbeta, 4 for dgamma
        // with xhat, 5 for dx.
        const auto elements = static_cast<double>(shape.elements());
        add_pass({.name = "forward",
                  .flops = 8 * elements,
                  .reads = {x_, gamma_, beta_, running_mean_, running_var_},
                  .writes = {y_, running_mean_, running_var_, mean_, invstd_}});
        add_pass({.name = "backward",
                  .flops = 10 * elements,
                  .reads = {x_, gamma_, mean_, invstd_, dy_},
                  .writes = {dx_, dgamma_, dbeta_}});
    }

    std::vector<ExpectedTensor> expected(std::size_t pass) const override {
        const BatchNorm::Shape& s = op_shape();
        const std::int64_t terms = s.values_per_channel();
        auto forward = reference::batch_norm(
            s, static_cast<double>(s.eps), static_cast<double>(s.momentum), doubles(x_),
            doubles(gamma_), doubles(beta_), {doubles(running_mean_), doubles(running_var_)});
        if (pass == 0) {
            return {{y_, std::move(forward.y), terms},
                    {running_mean_, std::move(forward.after.running_mean), terms},
                    {running_var_, std::move(forward.after.running_var), terms}};
        }
        auto backward = reference::batch_norm_backward(s, doubles(x_), doubles(gamma_),
                                                       forward.mean, forward.invstd, doubles(dy_));
        return {{dx_, std::move(backward.dx), terms},
                {dgamma_, std::move(backward.dgamma), terms},
                {dbeta_, std::move(backward.dbeta), terms}};
    }

  private:
    void run(BatchNorm::Kernel& kernel, std::size_t pass, const BenchPointers& t,
             void* workspace) const override {
        if (pass == 0) {
            kernel.forward({.x = t[x_],
                            .gamma = t[gamma_],
                            .beta = t[beta_],
                            .y = t[y_],
                            .running_mean = t[running_mean_],
                            .running_var = t[running_var_],
                            .saved_mean = t[mean_],
                            .saved_invstd = t[invstd_],
                            .workspace = workspace});
        } else {
            kernel.backward({.x = t[x_],
                             .gamma = t[gamma_],
                             .saved_mean = t[mean_],
                             .saved_invstd = t[invstd_],
                             .dy = t[dy_],
                             .dx = t[dx_],
                             .dgamma = t[dgamma_],
                             .dbeta = t[dbeta_],
                             .accumulate = false,
                             .workspace = workspace});
        }
    }

    std::size_t x_ = 0, gamma_ = 0, beta_ = 0, running_mean_ = 0, running_var_ = 0, dy_ = 0;
    std::size_t y_ = 0, mean_ = 0, invstd_ = 0, dx_ = 0, dgamma_ = 0, dbeta_ = 0;
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

std::unique_ptr<BenchCase> make(const BenchShape& shape, BenchData data) {
    return std::make_unique<BatchNormCase>(shape, read(shape).value(), data);
}

}  // namespace

const Operator& batch_norm() {
    static const Operator op{
        BatchNorm::name,
        {{.name = "n", .meaning = "samples", .usual = always<32>, .usual_text = "32"},
         {.name = "c", .meaning = "channels", .usual = always<32>, .usual_text = "32"},
         {.name = "h", .meaning = "height", .usual = always<28>, .usual_text = "28"},
         {.name = "w",
          .meaning = "width",
          .usual = [](const BenchShape& s) { return s["h"]; },
          .usual_text = "h"}},
        check_by<read>,
        make};
    return op;
}

}  // namespace trainscope::bench
