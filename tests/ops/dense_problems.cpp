// SPDX-License-Identifier: GPL-3.0-or-later
// Problems of dense, alone and with a ReLU behind it, from golden cases and from random numbers.
#include <fmt/format.h>

#include <cmath>
#include <type_traits>

#include "engine/ops/dense.h"
#include "engine/ops/dense_relu.h"
#include "engine/ops/reference/dense.h"
#include "engine/ops/reference/relu.h"
#include "tests/ops/problems.h"

namespace trainscope::testing {
namespace {

struct Inputs {
    Dense::Shape shape;
    Floats x, weight, bias, dy;  // bias is empty without one
};
struct Expected {
    Doubles y, dx, dweight, dbias;
};

Expected reference_results(const Inputs& in) {
    const Doubles x = doubles_of(in.x);
    const Doubles weight = doubles_of(in.weight);
    auto gradients = reference::dense_backward(in.shape, x, weight, doubles_of(in.dy));
    return {reference::dense(in.shape, x, weight, doubles_of(in.bias)), std::move(gradients.dx),
            std::move(gradients.dweight), std::move(gradients.dbias)};
}

// What ReLU makes of the layer's `y`. Where that is so near to zero that float32 cannot tell the
// side, no gradient arrives: a right kernel may let pass there what the reference does not.
Expected with_relu(Inputs& in, const Doubles& y) {
    constexpr double undecided = 1e-4;
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

// A fused kernel, to be run as a dense layer by itself. Backward is given the y of the last
// forward, and the bytes of dy to leave what passes in.
class ReluBehind final : public Dense::Kernel {
  public:
    explicit ReluBehind(DenseRelu::Kernel& kernel, std::size_t size)
        : kernel_(kernel), size_(size) {}

    void forward(const Dense::Forward& args) override {
        kernel_.forward(args);
        y_.assign(args.y, args.y + size_);
    }
    void backward(const Dense::Backward& args) override {
        Guarded<float> dy(Floats(args.dy, args.dy + size_));
        Dense::Backward dense = args;
        dense.dy = nullptr;  // which is not looked at
        kernel_.backward({.dense = dense, .y = y_.data(), .dy = dy.data()});
        EXPECT_TRUE(dy.is_intact("dy"));
    }

  private:
    DenseRelu::Kernel& kernel_;
    std::size_t size_;
    Floats y_;
};

// Op: Dense or DenseRelu.
template <class Op>
class DenseProblem final : public ProblemOf<Op> {
  public:
    DenseProblem(std::string name, Inputs inputs, Expected expected)
        : ProblemOf<Op>(std::move(name), inputs.shape),
          in_(std::move(inputs)),
          expected_(std::move(expected)) {}

    void expect_solved_by_reference() const override {
        if (std::is_same_v<Op, DenseRelu>) {
            return;  // that is where it comes from
        }
        const Expected got = reference_results(in_);
        EXPECT_TRUE(is_close("y", got.y, expected_.y, reference_tolerance));
        EXPECT_TRUE(is_close("dx", got.dx, expected_.dx, reference_tolerance));
        EXPECT_TRUE(is_close("dweight", got.dweight, expected_.dweight, reference_tolerance));
        EXPECT_TRUE(is_close("dbias", got.dbias, expected_.dbias, reference_tolerance));
    }

  private:
    void expect_solved(typename Op::Kernel& kernel, Workspace& workspace) const override {
        if constexpr (std::is_same_v<Op, DenseRelu>) {
            ReluBehind dense(kernel, in_.dy.size());
            expect_dense_solved(dense, workspace);
        } else {
            expect_dense_solved(kernel, workspace);
        }
    }

    void expect_dense_solved(Dense::Kernel& kernel, Workspace& workspace) const {
        EXPECT_EQ(forward(kernel, workspace), forward(kernel, workspace)) << "y, run again";
        for (const bool accumulate : {false, true}) {
            SCOPED_TRACE(accumulate ? "accumulating" : "overwriting");
            const Floats dweight = backward(kernel, workspace, accumulate, true);
            EXPECT_EQ(backward(kernel, workspace, accumulate, false), dweight)
                << "dweight without dx";
        }
    }

    Floats forward(Dense::Kernel& kernel, Workspace& workspace) const {
        Guarded<float> y(expected_.y.size());
        kernel.forward({.x = in_.x.data(),
                        .weight = in_.weight.data(),
                        .bias = in_.shape.bias ? in_.bias.data() : nullptr,
                        .y = y.data(),
                        .workspace = workspace.fresh()});
        EXPECT_TRUE(is_close("y", y.values(), expected_.y, this->tolerance(in_.shape.in)));
        EXPECT_TRUE(y.is_intact("y"));
        return y.copy();
    }

    Floats backward(Dense::Kernel& kernel, Workspace& workspace, bool accumulate,
                    bool want_dx) const {
        Guarded<float> dx(expected_.dx.size());
        Gradient dweight("dweight", expected_.dweight, accumulate);
        Gradient dbias("dbias", expected_.dbias, accumulate);
        kernel.backward({.x = in_.x.data(),
                         .weight = in_.weight.data(),
                         .dy = in_.dy.data(),
                         .dx = want_dx ? dx.data() : nullptr,
                         .dweight = dweight.data(),
                         .dbias = in_.shape.bias ? dbias.data() : nullptr,
                         .accumulate = accumulate,
                         .workspace = workspace.fresh()});
        if (want_dx) {
            EXPECT_TRUE(is_close("dx", dx.values(), expected_.dx, this->tolerance(in_.shape.out)));
            EXPECT_TRUE(dx.is_intact("dx"));
        }
        dweight.expect_close(this->tolerance(in_.shape.n));
        dbias.expect_close(this->tolerance(in_.shape.n));
        return dweight.copy();
    }

    Inputs in_;
    Expected expected_;
};

template <class Op>
std::unique_ptr<Problem> problem(std::string name, Inputs inputs, Expected expected) {
    if (std::is_same_v<Op, DenseRelu>) {
        expected = with_relu(inputs, expected.y);
    }
    return std::make_unique<DenseProblem<Op>>(std::move(name), std::move(inputs),
                                              std::move(expected));
}

template <class Op>
std::unique_ptr<Problem> golden_problem(const GoldenCase& golden) {
    const bool bias = golden.has("bias");
    const Dense::Shape shape{.n = golden.size("x", 0),
                             .in = golden.size("x", 1),
                             .out = golden.size("weight", 0),
                             .bias = bias};
    return problem<Op>(
        golden.name,
        Inputs{shape, golden.floats("x"), golden.floats("weight"),
               bias ? golden.floats("bias") : Floats{}, golden.floats("dy")},
        Expected{golden.doubles("y"), golden.doubles("dx"), golden.doubles("dweight"),
                 bias ? golden.doubles("dbias") : Doubles{}});
}

template <class Op>
Problems ugly_problems() {
    Problems problems;
    for (const Dense::Shape& shape :
         std::vector<Dense::Shape>{{},
                                   {.n = 1, .in = 33, .out = 10},
                                   {.n = 7, .in = 1, .out = 3},
                                   {.n = 3, .in = 31, .out = 1},
                                   {.n = 31, .in = 32, .out = 33},
                                   {.n = 33, .in = 31, .out = 32},
                                   {.n = 5, .in = 127, .out = 129},
                                   {.n = 2, .in = 3137, .out = 10},
                                   {.n = 65, .in = 257, .out = 11},
                                   {.n = 1, .in = 65, .out = 7, .bias = false},
                                   {.n = 16, .in = 64, .out = 63, .bias = false}}) {
        const Inputs inputs{
            shape, random_floats(shape.n * shape.in, 1), random_floats(shape.in * shape.out, 2),
            random_floats(shape.bias ? shape.out : 0, 3), random_floats(shape.n * shape.out, 4)};
        problems.push_back(problem<Op>(fmt::format("[{}, {}] -> {}{}", shape.n, shape.in, shape.out,
                                                   shape.bias ? "" : ", no bias"),
                                       inputs, reference_results(inputs)));
    }
    return problems;
}

}  // namespace

std::unique_ptr<Problem> golden_dense(const GoldenCase& golden) {
    return golden_problem<Dense>(golden);
}
std::unique_ptr<Problem> golden_dense_relu(const GoldenCase& golden) {
    return golden_problem<DenseRelu>(golden);
}

Problems ugly_dense() {
    return ugly_problems<Dense>();
}
Problems ugly_dense_relu() {
    return ugly_problems<DenseRelu>();
}

}  // namespace trainscope::testing
