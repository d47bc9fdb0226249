// SPDX-License-Identifier: GPL-3.0-or-later
// Problems of batch_norm from golden cases and from random numbers.
#include <fmt/format.h>

#include "engine/ops/batch_norm.h"
#include "engine/ops/reference/batch_norm.h"
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

// The batch's own statistics, and backward.
class TrainingProblem final : public ProblemOf<BatchNorm> {
  public:
    TrainingProblem(std::string name, Inputs inputs, Expected expected)
        : ProblemOf(std::move(name), inputs.shape),
          in_(std::move(inputs)),
          expected_(std::move(expected)) {}

    void expect_solved_by_reference() const override {
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

    void expect_solved(BatchNorm::Kernel& kernel, Workspace& workspace) const override {
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
class InferenceProblem final : public ProblemOf<BatchNorm> {
  public:
    InferenceProblem(std::string name, Inputs inputs, Doubles y)
        : ProblemOf(std::move(name), inputs.shape), in_(std::move(inputs)), y_(std::move(y)) {}

    static Doubles reference_result(const Inputs& in) {
        return reference::batch_norm_inference(
            in.shape, in.eps, doubles_of(in.x), doubles_of(in.gamma), doubles_of(in.beta),
            {doubles_of(in.running_mean), doubles_of(in.running_var)});
    }
    void expect_solved_by_reference() const override {
        EXPECT_TRUE(is_close("y", reference_result(in_), y_, reference_tolerance));
    }

  private:
    void expect_solved(BatchNorm::Kernel& kernel, Workspace& workspace) const override {
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

}  // namespace

std::unique_ptr<Problem> golden_batch_norm(const GoldenCase& golden) {
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
        return std::make_unique<InferenceProblem>(golden.name, std::move(inputs),
                                                  golden.doubles("y"));
    }
    return std::make_unique<TrainingProblem>(
        golden.name, std::move(inputs),
        Expected{golden.doubles("y"), golden.doubles("running_mean_after"),
                 golden.doubles("running_var_after"), golden.doubles("dx"),
                 golden.doubles("dgamma"), golden.doubles("dbeta")});
}

Problems ugly_batch_norm() {
    Problems problems;
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
            const Inputs inputs = random_inputs(shape, offset);
            const std::string name = fmt::format("[{}, {}, {}, {}], mean {}", shape.n, shape.c,
                                                 shape.h, shape.w, offset);
            problems.push_back(std::make_unique<TrainingProblem>(name + ", training", inputs,
                                                                 reference_results(inputs)));
            problems.push_back(std::make_unique<InferenceProblem>(
                name + ", inference", inputs, InferenceProblem::reference_result(inputs)));
        }
    }
    return problems;
}

}  // namespace trainscope::testing
