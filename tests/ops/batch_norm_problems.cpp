// SPDX-License-Identifier: GPL-3.0-or-later
// Problems of batch_norm, alone and with a ReLU behind it, from golden cases and from random
// numbers.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/ops/batch_norm.h"
#include "engine/ops/batch_norm_relu.h"
#include "engine/ops/reference/batch_norm.h"
#include "engine/ops/reference/relu.h"
#include "tests/ops/problems.h"

namespace trainscope::testing {
namespace {

struct Inputs {
    BatchNorm::Shape shape;
    double eps, momentum;
    Floats x, gamma, beta, running_mean, running_var, dy;
};
struct Expected {
    Doubles y, running_mean, running_var, dx, dgamma, dbeta;
};

Expected reference_results(const Inputs& in) {
    const Doubles x = doubles_of(in.x);
    const Doubles gamma = doubles_of(in.gamma);
    auto forward =
        reference::batch_norm(in.shape, in.eps, in.momentum, x, gamma, doubles_of(in.beta),
                              {doubles_of(in.running_mean), doubles_of(in.running_var)});
    auto backward = reference::batch_norm_backward(in.shape, x, gamma, forward.mean, forward.invstd,
                                                   doubles_of(in.dy));
    return {std::move(forward.y),
            std::move(forward.after.running_mean),
            std::move(forward.after.running_var),
            std::move(backward.dx),
            std::move(backward.dgamma),
            std::move(backward.dbeta)};
}

Doubles normalized_by_running(const Inputs& in) {
    return reference::batch_norm_inference(
        in.shape, in.eps, doubles_of(in.x), doubles_of(in.gamma), doubles_of(in.beta),
        {doubles_of(in.running_mean), doubles_of(in.running_var)});
}

// What ReLU makes of batch norm's `y`. Where that is so near to zero that float32 cannot tell the
// side, no gradient arrives: a right kernel may let pass there what the reference does not.
Expected with_relu(Inputs& in, const Doubles& y) {
    constexpr double undecided = 1e-5;
    for (std::size_t i = 0; i < y.size(); ++i) {
        in.dy[i] = y[i] != 0 && std::abs(y[i]) < undecided ? 0.0F : in.dy[i];
    }
    Inputs passed = in;
    for (std::size_t i = 0; i < y.size(); ++i) {
        passed.dy[i] = y[i] <= 0 ? 0.0F : in.dy[i];
    }
    Expected expected = reference_results(passed);
    expected.y = reference::relu(y);
    return expected;
}

// A fused kernel, to be run as batch norm by itself: with what its passes take beside.
class ReluBehind final : public BatchNorm::Kernel {
  public:
    ReluBehind(BatchNormRelu::Kernel& kernel, const Floats& beta)
        : kernel_(kernel), beta_(beta), rest_(beta.size()) {}

    void forward(const BatchNorm::Forward& args) override {
        kernel_.forward({.norm = args, .saved_rest = rest_.data()});
        EXPECT_TRUE(rest_.is_intact("saved_rest"));
    }
    void inference(const BatchNorm::Inference& args) override { kernel_.inference(args); }
    void backward(const BatchNorm::Backward& args) override {
        kernel_.backward({.norm = args, .beta = beta_.data(), .saved_rest = rest_.data()});
        EXPECT_TRUE(rest_.is_intact("saved_rest"));
    }

  private:
    BatchNormRelu::Kernel& kernel_;
    const Floats& beta_;
    Guarded<float> rest_;
};

// Calls solve(kernel) with it as batch norm.
template <class Kernel, class Solve>
void run_as_norm(Kernel& kernel, const Floats& beta, const Solve& solve) {
    if constexpr (std::is_same_v<Kernel, BatchNormRelu::Kernel>) {
        ReluBehind norm(kernel, beta);
        solve(norm);
    } else {
        solve(kernel);
    }
}

// The batch's own statistics, and backward. Op: BatchNorm or BatchNormRelu.
template <class Op>
class TrainingProblem final : public ProblemOf<Op> {
  public:
    TrainingProblem(std::string name, Inputs inputs, Expected expected)
        : ProblemOf<Op>(std::move(name), inputs.shape),
          in_(std::move(inputs)),
          expected_(std::move(expected)) {}

    void expect_solved_by_reference() const override {
        if (std::is_same_v<Op, BatchNormRelu>) {
            return;  // that is where it comes from
        }
        const Expected got = reference_results(in_);
        const auto expect = [](std::string_view what, const Doubles& values,
                               const Doubles& expected) {
            EXPECT_TRUE(is_close(what, values, expected, reference_tolerance));
        };
        expect("y", got.y, expected_.y);
        expect("running_mean", got.running_mean, expected_.running_mean);
        expect("running_var", got.running_var, expected_.running_var);
        expect("dx", got.dx, expected_.dx);
        expect("dgamma", got.dgamma, expected_.dgamma);
        expect("dbeta", got.dbeta, expected_.dbeta);
    }

  private:
    struct Saved {
        Floats mean, invstd;
        bool operator==(const Saved&) const = default;
    };

    void expect_solved(typename Op::Kernel& kernel, Workspace& workspace) const override {
        run_as_norm(kernel, in_.beta,
                    [&](BatchNorm::Kernel& norm) { expect_norm_solved(norm, workspace); });
    }

    void expect_norm_solved(BatchNorm::Kernel& kernel, Workspace& workspace) const {
        const Saved saved = forward(kernel, workspace);
        EXPECT_EQ(forward(kernel, workspace), saved) << "saved statistics, run again";
        for (const bool accumulate : {false, true}) {
            SCOPED_TRACE(accumulate ? "accumulating" : "overwriting");
            const Floats dx = backward(kernel, workspace, saved, accumulate, false);
            EXPECT_EQ(backward(kernel, workspace, saved, accumulate, true), dx) << "dx in dy";
        }
    }

    double tolerance() const { return float32_tolerance(in_.shape.values_per_channel()); }

    Saved forward(BatchNorm::Kernel& kernel, Workspace& workspace) const {
        Guarded<float> y(expected_.y.size());
        Guarded<float> running_mean(in_.running_mean);
        Guarded<float> running_var(in_.running_var);
        Guarded<float> mean(in_.gamma.size());
        Guarded<float> invstd(in_.gamma.size());
        kernel.forward({.x = in_.x.data(),
                        .gamma = in_.gamma.data(),
                        .beta = in_.beta.data(),
                        .y = y.data(),
                        .running_mean = running_mean.data(),
                        .running_var = running_var.data(),
                        .saved_mean = mean.data(),
                        .saved_invstd = invstd.data(),
                        .workspace = workspace.fresh()});
        const auto expect = [&](std::string_view what, Guarded<float>& got,
                                const Doubles& expected) {
            EXPECT_TRUE(is_close(what, got.values(), expected, tolerance()));
            EXPECT_TRUE(got.is_intact(what));
        };
        expect("y", y, expected_.y);
        expect("running_mean", running_mean, expected_.running_mean);
        expect("running_var", running_var, expected_.running_var);
        EXPECT_TRUE(mean.is_intact("saved_mean"));
        EXPECT_TRUE(invstd.is_intact("saved_invstd"));
        return {mean.copy(), invstd.copy()};
    }

    Floats backward(BatchNorm::Kernel& kernel, Workspace& workspace, const Saved& saved,
                    bool accumulate, bool in_place) const {
        Guarded<float> dy(in_.dy);
        Guarded<float> apart(in_.dy.size());
        Guarded<float>& dx = in_place ? dy : apart;
        Gradient dgamma("dgamma", expected_.dgamma, accumulate);
        Gradient dbeta("dbeta", expected_.dbeta, accumulate);
        kernel.backward({.x = in_.x.data(),
                         .gamma = in_.gamma.data(),
                         .saved_mean = saved.mean.data(),
                         .saved_invstd = saved.invstd.data(),
                         .dy = dy.data(),
                         .dx = dx.data(),
                         .dgamma = dgamma.data(),
                         .dbeta = dbeta.data(),
                         .accumulate = accumulate,
                         .workspace = workspace.fresh()});
        EXPECT_TRUE(is_close("dx", dx.values(), expected_.dx, tolerance()));
        EXPECT_TRUE(dx.is_intact("dx"));
        dgamma.expect_close(tolerance());
        dbeta.expect_close(tolerance());
        return dx.copy();
    }

    Inputs in_;
    Expected expected_;
};

// The running values as they are.
template <class Op>
class InferenceProblem final : public ProblemOf<Op> {
  public:
    // `y` is batch norm's.
    InferenceProblem(std::string name, Inputs inputs, const Doubles& y)
        : ProblemOf<Op>(std::move(name), inputs.shape),
          in_(std::move(inputs)),
          y_(std::is_same_v<Op, BatchNormRelu> ? reference::relu(y) : y) {}

    void expect_solved_by_reference() const override {
        const Doubles y = normalized_by_running(in_);
        EXPECT_TRUE(is_close("y", std::is_same_v<Op, BatchNormRelu> ? reference::relu(y) : y, y_,
                             reference_tolerance));
    }

  private:
    void expect_solved(typename Op::Kernel& kernel, Workspace& workspace) const override {
        Guarded<float> y(y_.size());
        kernel.inference({.x = in_.x.data(),
                          .gamma = in_.gamma.data(),
                          .beta = in_.beta.data(),
                          .running_mean = in_.running_mean.data(),
                          .running_var = in_.running_var.data(),
                          .y = y.data(),
                          .workspace = workspace.fresh()});
        EXPECT_TRUE(is_close("y", y.values(), y_, float32_tolerance(1)));
        EXPECT_TRUE(y.is_intact("y"));
    }

    Inputs in_;
    Doubles y_;
};

// Backward lets a gradient pass where forward's y is not <= 0, to the value: of a gradient of ones
// dbeta counts them, exactly.
class SameDecisionProblem final : public ProblemOf<BatchNormRelu> {
  public:
    SameDecisionProblem(std::string name, Inputs inputs)
        : ProblemOf(std::move(name), inputs.shape), in_(std::move(inputs)) {
        in_.dy.assign(in_.dy.size(), 1.0F);
    }

    void expect_solved_by_reference() const override {}  // which decides nothing again

  private:
    void expect_solved(BatchNormRelu::Kernel& kernel, Workspace& workspace) const override {
        const std::size_t channels = in_.gamma.size();
        Guarded<float> y(in_.x.size());
        Guarded<float> dx(in_.x.size());
        Guarded<float> mean(channels);
        Guarded<float> invstd(channels);
        Guarded<float> rest(channels);
        Guarded<float> dgamma(channels);
        Guarded<float> dbeta(channels);
        Floats running_mean = in_.running_mean;
        Floats running_var = in_.running_var;
        kernel.forward({.norm = {.x = in_.x.data(),
                                 .gamma = in_.gamma.data(),
                                 .beta = in_.beta.data(),
                                 .y = y.data(),
                                 .running_mean = running_mean.data(),
                                 .running_var = running_var.data(),
                                 .saved_mean = mean.data(),
                                 .saved_invstd = invstd.data(),
                                 .workspace = workspace.fresh()},
                        .saved_rest = rest.data()});
        kernel.backward({.norm = {.x = in_.x.data(),
                                  .gamma = in_.gamma.data(),
                                  .saved_mean = mean.data(),
                                  .saved_invstd = invstd.data(),
                                  .dy = in_.dy.data(),
                                  .dx = dx.data(),
                                  .dgamma = dgamma.data(),
                                  .dbeta = dbeta.data(),
                                  .accumulate = false,
                                  .workspace = workspace.fresh()},
                         .beta = in_.beta.data(),
                         .saved_rest = rest.data()});
        const auto plane = static_cast<std::size_t>(in_.shape.h * in_.shape.w);
        Floats passed(channels, 0.0F);
        for (std::size_t i = 0; i < in_.x.size(); ++i) {
            passed[i / plane % channels] += y.data()[i] <= 0 ? 0.0F : 1.0F;
        }
        EXPECT_EQ(dbeta.copy(), passed);
    }

    Inputs in_;
};

Inputs random_inputs(const BatchNorm::Shape& shape, double offset) {
    Inputs in{shape,
              static_cast<double>(shape.eps),
              static_cast<double>(shape.momentum),
              random_floats(shape.elements(), 1),
              random_floats(shape.c, 2),
              random_floats(shape.c, 3),
              random_floats(shape.c, 4),
              random_floats(shape.c, 5),
              random_floats(shape.elements(), 6)};
    for (float& x : in.x) {
        x += static_cast<float>(offset);
    }
    for (float& variance : in.running_var) {
        variance = variance * variance + 0.1F;
    }
    return in;
}

// Normalised values that are zero to the bit, where ReLU passes no gradient: of whole numbers
// around 0 in a count of them that is a power of two, so that no sum is rounded; of a constant
// channel; and of gamma 0.
Inputs inputs_at_zero() {
    Inputs in = random_inputs({.n = 4, .c = 4, .h = 8, .w = 8}, 0);
    for (std::size_t i = 0; i < in.x.size(); ++i) {
        const std::size_t channel = i / 64 % 4;
        in.x[i] = channel == 1 ? 1234.567F : static_cast<float>(i % 4) - 1.5F;
        in.x[i] -= channel == 0 && i % 4 == 0 ? 0.5F : 0.0F;
        in.x[i] += channel == 0 && i % 4 == 1 ? 0.5F : 0.0F;
    }
    in.gamma = {1.5F, 1.5F, 0.0F, 0.0F};
    in.beta = {0.0F, 0.0F, 0.0F, 0.25F};
    return in;
}

// Of few values, one of which beta takes as near to zero as rounding has it, on either side; and a
// NaN, which spoils its channel.
Inputs inputs_near_zero(const BatchNorm::Shape& shape, double offset) {
    Inputs in = random_inputs(shape, offset);
    const auto plane = static_cast<std::size_t>(shape.h * shape.w);
    const auto channels = static_cast<std::size_t>(shape.c);
    for (std::size_t i = 0; i < in.x.size(); ++i) {
        in.x[i] = in.x[i / plane % channels * plane + i % 4];  // of the first sample
    }
    in.beta.assign(channels, 0.0F);
    const Doubles y = reference_results(in).y;
    for (std::size_t c = 0; c < channels; ++c) {
        in.beta[c] = static_cast<float>(-y[c * plane]);
    }
    in.x[plane] = std::numeric_limits<float>::quiet_NaN();
    return in;
}

template <class Op>
std::unique_ptr<Problem> training_problem(std::string name, Inputs inputs, Expected expected) {
    if (std::is_same_v<Op, BatchNormRelu>) {
        expected = with_relu(inputs, expected.y);
    }
    return std::make_unique<TrainingProblem<Op>>(std::move(name), std::move(inputs),
                                                 std::move(expected));
}

template <class Op>
std::unique_ptr<Problem> golden_problem(const GoldenCase& golden) {
    const double eps = golden.number("eps");
    const double momentum = golden.number("momentum");
    Inputs inputs{{.n = golden.size("x", 0),
                   .c = golden.size("x", 1),
                   .h = golden.size("x", 2),
                   .w = golden.size("x", 3),
                   .eps = static_cast<float>(eps),
                   .momentum = static_cast<float>(momentum)},
                  eps,
                  momentum,
                  golden.floats("x"),
                  golden.floats("gamma"),
                  golden.floats("beta"),
                  golden.floats("running_mean_before"),
                  golden.floats("running_var_before"),
                  golden.floats("dy")};
    if (golden.integer("training") == 0) {
        return std::make_unique<InferenceProblem<Op>>(golden.name, std::move(inputs),
                                                      golden.doubles("y"));
    }
    return training_problem<Op>(golden.name, std::move(inputs),
                                Expected{golden.doubles("y"), golden.doubles("running_mean_after"),
                                         golden.doubles("running_var_after"), golden.doubles("dx"),
                                         golden.doubles("dgamma"), golden.doubles("dbeta")});
}

template <class Op>
Problems ugly_problems() {
    Problems problems;
    const auto add_inference = [&](const std::string& name, const Inputs& inputs) {
        problems.push_back(std::make_unique<InferenceProblem<Op>>(name + ", inference", inputs,
                                                                  normalized_by_running(inputs)));
    };
    const auto add = [&](const std::string& name, const Inputs& inputs) {
        problems.push_back(
            training_problem<Op>(name + ", training", inputs, reference_results(inputs)));
        add_inference(name, inputs);
    };
    for (const BatchNorm::Shape& shape :
         std::vector<BatchNorm::Shape>{{.n = 2, .c = 1},
                                       {.n = 1, .c = 1, .h = 1, .w = 2},
                                       {.n = 1, .c = 33, .h = 3, .w = 3},
                                       {.n = 33, .c = 31},
                                       {.n = 7, .c = 5, .h = 13, .w = 11},
                                       {.n = 2, .c = 3, .h = 31, .w = 33},
                                       {.n = 3, .c = 2, .h = 32, .w = 32},
                                       {.n = 37, .c = 17, .h = 7, .w = 5},
                                       {.n = 5, .c = 64, .h = 2, .w = 2},
                                       {.n = 4, .c = 1, .h = 127, .w = 129},
                                       {.n = 3, .c = 4, .h = 9, .w = 9, .eps = 1e-3F}}) {
        for (const double offset : {0.0, 1000.0}) {
            add(fmt::format("[{}, {}, {}, {}], mean {}", shape.n, shape.c, shape.h, shape.w,
                            offset),
                random_inputs(shape, offset));
        }
    }
    add("values at zero", inputs_at_zero());
    add_inference("one value a channel", random_inputs({.n = 1, .c = 5}, 0));
    if constexpr (std::is_same_v<Op, BatchNormRelu>) {
        for (const BatchNorm::Shape& shape : {BatchNorm::Shape{.n = 2, .c = 61, .h = 8, .w = 8},
                                              BatchNorm::Shape{.n = 4, .c = 2, .h = 33, .w = 31}}) {
            for (const double offset : {0.0, 10.0, 1000.0}) {
                problems.push_back(std::make_unique<SameDecisionProblem>(
                    fmt::format("[{}, {}, {}, {}] near zero, mean {}", shape.n, shape.c, shape.h,
                                shape.w, offset),
                    inputs_near_zero(shape, offset)));
            }
        }
    }
    return problems;
}

}  // namespace

std::unique_ptr<Problem> golden_batch_norm(const GoldenCase& golden) {
    return golden_problem<BatchNorm>(golden);
}
std::unique_ptr<Problem> golden_batch_norm_relu(const GoldenCase& golden) {
    return golden_problem<BatchNormRelu>(golden);
}

Problems ugly_batch_norm() {
    return ugly_problems<BatchNorm>();
}
Problems ugly_batch_norm_relu() {
    return ugly_problems<BatchNormRelu>();
}

}  // namespace trainscope::testing
