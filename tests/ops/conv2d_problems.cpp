// SPDX-License-Identifier: GPL-3.0-or-later
// Problems of conv2d from golden cases and from random numbers.
#include "tests/ops/conv2d_problems.h"

#include <fmt/format.h>

#include "engine/ops/reference/conv2d.h"

namespace trainscope::testing {
namespace {

struct Expected {
    Doubles y, dx, dweight, dbias;
};

Expected reference_results(const Conv2dInputs& in) {
    const Doubles x = doubles_of(in.x);
    const Doubles weight = doubles_of(in.weight);
    auto gradients = reference::conv2d_backward(in.shape, x, weight, doubles_of(in.dy));
    return {reference::conv2d(in.shape, x, weight, doubles_of(in.bias)), std::move(gradients.dx),
            std::move(gradients.dweight), std::move(gradients.dbias)};
}

class Conv2dProblem final : public ProblemOf<Conv2d> {
  public:
    Conv2dProblem(std::string name, Conv2dInputs inputs, Expected expected)
        : ProblemOf(std::move(name), inputs.shape),
          in_(std::move(inputs)),
          expected_(std::move(expected)) {}

    void expect_solved_by_reference() const override {
        const Expected got = reference_results(in_);
        EXPECT_TRUE(is_close("y", got.y, expected_.y, reference_tolerance));
        EXPECT_TRUE(is_close("dx", got.dx, expected_.dx, reference_tolerance));
        EXPECT_TRUE(is_close("dweight", got.dweight, expected_.dweight, reference_tolerance));
        EXPECT_TRUE(is_close("dbias", got.dbias, expected_.dbias, reference_tolerance));
    }

  private:
    void expect_solved(Conv2d::Kernel& kernel, Workspace& workspace) const override {
        EXPECT_EQ(forward(kernel, workspace), forward(kernel, workspace)) << "y, run again";
        for (const bool accumulate : {false, true}) {
            SCOPED_TRACE(accumulate ? "accumulating" : "overwriting");
            const Floats dweight = backward(kernel, workspace, accumulate, true);
            EXPECT_EQ(backward(kernel, workspace, accumulate, false), dweight)
                << "dweight without dx";
        }
    }

    Floats forward(Conv2d::Kernel& kernel, Workspace& workspace) const {
        Guarded<float> y(expected_.y.size());
        kernel.forward({.x = in_.x.data(),
                        .weight = in_.weight.data(),
                        .bias = in_.shape.bias ? in_.bias.data() : nullptr,
                        .y = y.data(),
                        .workspace = workspace.fresh()});
        const Conv2d::Shape& s = in_.shape;
        EXPECT_TRUE(is_close("y", y.values(), expected_.y, tolerance(s.c / s.groups * s.r * s.s)));
        EXPECT_TRUE(y.is_intact("y"));
        return y.copy();
    }

    Floats backward(Conv2d::Kernel& kernel, Workspace& workspace, bool accumulate,
                    bool want_dx) const {
        const Conv2d::Shape& s = in_.shape;
        Guarded<float> dx(expected_.dx.size());
        Gradient dweight("dweight", expected_.dweight, accumulate);
        Gradient dbias("dbias", expected_.dbias, accumulate);
        kernel.backward({.x = in_.x.data(),
                         .weight = in_.weight.data(),
                         .dy = in_.dy.data(),
                         .dx = want_dx ? dx.data() : nullptr,
                         .dweight = dweight.data(),
                         .dbias = s.bias ? dbias.data() : nullptr,
                         .accumulate = accumulate,
                         .workspace = workspace.fresh()});
        if (want_dx) {
            EXPECT_TRUE(
                is_close("dx", dx.values(), expected_.dx, tolerance(s.k / s.groups * s.r * s.s)));
            EXPECT_TRUE(dx.is_intact("dx"));
        }
        const double of_sums = tolerance(s.n * s.out_h() * s.out_w());
        dweight.expect_close(of_sums);
        dbias.expect_close(of_sums);
        return dweight.copy();
    }

    Conv2dInputs in_;
    Expected expected_;
};

}  // namespace

Conv2dInputs Conv2dInputs::golden(const GoldenCase& golden) {
    const bool bias = golden.has("bias");
    const std::int64_t stride = golden.integer("stride");
    const std::int64_t padding = golden.integer("padding");
    const Conv2d::Shape shape{.n = golden.size("x", 0),
                              .c = golden.size("x", 1),
                              .h = golden.size("x", 2),
                              .w = golden.size("x", 3),
                              .k = golden.size("weight", 0),
                              .r = golden.size("weight", 2),
                              .s = golden.size("weight", 3),
                              .stride_h = stride,
                              .stride_w = stride,
                              .pad_h = padding,
                              .pad_w = padding,
                              .groups = golden.integer("groups"),
                              .bias = bias};
    return {shape, golden.floats("x"), golden.floats("weight"),
            bias ? golden.floats("bias") : Floats{}, golden.floats("dy")};
}

Conv2dInputs Conv2dInputs::random(const Conv2d::Shape& shape) {
    return {shape, random_floats(shape.input_elements(), 1),
            random_floats(shape.weight_elements(), 2), random_floats(shape.bias ? shape.k : 0, 3),
            random_floats(shape.output_elements(), 4)};
}

std::string text_of(const Conv2d::Shape& s) {
    return fmt::format("[{}, {}, {}, {}] -> {} by {}x{}, stride {}x{}, pad {}x{}, groups {}{}", s.n,
                       s.c, s.h, s.w, s.k, s.r, s.s, s.stride_h, s.stride_w, s.pad_h, s.pad_w,
                       s.groups, s.bias ? "" : ", no bias");
}

std::vector<Conv2d::Shape> ugly_conv2d_shapes() {
    return {
        {},
        {.n = 3, .c = 1, .h = 1, .w = 1, .k = 5, .r = 1, .s = 1},
        {.n = 1, .c = 1, .h = 1, .w = 1, .k = 1, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1},
        {.n = 2, .c = 3, .h = 2, .w = 3, .k = 4, .r = 5, .s = 7, .pad_h = 2, .pad_w = 3},
        {.n = 7, .c = 5, .h = 13, .w = 11, .k = 17, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1},
        {.n = 2, .c = 31, .h = 9, .w = 31, .k = 33, .r = 1, .s = 1},
        {.n = 2, .c = 33, .h = 7, .w = 33, .k = 31, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1},
        {.n = 3, .c = 32, .h = 8, .w = 32, .k = 32, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1},
        {.n = 2, .c = 3, .h = 17, .w = 19, .k = 5, .r = 3, .s = 3, .stride_h = 2, .stride_w = 2},
        {.n = 2, .c = 4, .h = 15, .w = 16, .k = 6, .r = 1, .s = 1, .stride_h = 2, .stride_w = 3},
        {.n = 1, .c = 2, .h = 23, .w = 9, .k = 3, .r = 2, .s = 5, .stride_h = 3, .pad_w = 2},
        {.n = 1, .c = 2, .h = 11, .w = 14, .k = 3, .r = 3, .s = 3, .stride_h = 5, .stride_w = 4},
        {.n = 2, .c = 1, .h = 5, .w = 6, .k = 2, .r = 3, .s = 3, .pad_h = 3, .pad_w = 4},
        {.n = 3, .c = 6, .h = 7, .w = 10, .k = 9, .r = 3, .s = 3, .pad_h = 1, .groups = 3},
        {.n = 2,
         .c = 7,
         .h = 9,
         .w = 9,
         .k = 7,
         .r = 3,
         .s = 3,
         .stride_h = 2,
         .stride_w = 2,
         .pad_h = 1,
         .pad_w = 1,
         .groups = 7,
         .bias = false},
        {.n = 2, .c = 5, .h = 6, .w = 7, .k = 10, .r = 3, .s = 1, .pad_h = 1, .groups = 5},
        {.n = 37, .c = 2, .h = 5, .w = 5, .k = 3, .r = 3, .s = 3, .bias = false},
        {.n = 1, .c = 64, .h = 5, .w = 5, .k = 67, .r = 5, .s = 5, .pad_h = 2, .pad_w = 2},
        {.n = 1, .c = 1, .h = 64, .w = 65, .k = 3, .r = 11, .s = 9, .pad_h = 5, .pad_w = 4},
    };
}

std::unique_ptr<Problem> golden_conv2d(const GoldenCase& golden) {
    return std::make_unique<Conv2dProblem>(
        golden.name, Conv2dInputs::golden(golden),
        Expected{golden.doubles("y"), golden.doubles("dx"), golden.doubles("dweight"),
                 golden.has("bias") ? golden.doubles("dbias") : Doubles{}});
}

Problems ugly_conv2d() {
    Problems problems;
    for (const Conv2d::Shape& shape : ugly_conv2d_shapes()) {
        const Conv2dInputs inputs = Conv2dInputs::random(shape);
        problems.push_back(
            std::make_unique<Conv2dProblem>(text_of(shape), inputs, reference_results(inputs)));
    }
    return problems;
}

}  // namespace trainscope::testing
