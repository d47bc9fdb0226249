// SPDX-License-Identifier: GPL-3.0-or-later
// The three operators of a fused one are composed from the float64 reference.
#include "engine/ops/conv_relu_pool.h"
#include "engine/ops/reference/conv2d.h"
#include "engine/ops/reference/max_pool2d.h"
#include "engine/ops/reference/relu.h"
#include "tests/ops/conv2d_problems.h"

namespace trainscope::testing {
namespace {

struct Expected {
    Doubles y;
    std::vector<std::uint8_t> index;  // `inactive` where the maximum is not above 0
    reference::Conv2dGradients gradients;
};

// `convolved` is the convolution's output.
Expected composed(const ConvReluPool::Shape& shape, const Conv2dInputs& in,
                  const Doubles& convolved, const Floats& dy) {
    const Doubles active = reference::relu(convolved);
    auto pooled = reference::max_pool2d(shape.pool, active);
    const Doubles d_active =
        reference::max_pool2d_backward(shape.pool, doubles_of(dy), pooled.index);
    for (std::size_t i = 0; i < pooled.y.size(); ++i) {
        pooled.index[i] = pooled.y[i] > 0 ? pooled.index[i] : ConvReluPool::inactive;
    }
    return {std::move(pooled.y), std::move(pooled.index),
            reference::conv2d_backward(shape.conv, doubles_of(in.x), doubles_of(in.weight),
                                       reference::relu_backward(active, d_active))};
}

class ConvReluPoolProblem final : public ProblemOf<ConvReluPool> {
  public:
    ConvReluPoolProblem(std::string name, const ConvReluPool::Shape& shape, Conv2dInputs inputs,
                        const Doubles& convolved)
        : ProblemOf(std::move(name), shape),
          in_(std::move(inputs)),
          dy_(random_floats(shape.pool.output_elements(), 5)),
          expected_(composed(shape, in_, convolved, dy_)) {}

    void expect_solved_by_reference() const override {}  // that is where it comes from

  private:
    void expect_solved(ConvReluPool::Kernel& kernel, Workspace& workspace) const override {
        const Conv2d::Shape& s = in_.shape;
        Guarded<float> y(dy_.size());
        Guarded<std::uint8_t> index(dy_.size());
        kernel.forward({.x = in_.x.data(),
                        .weight = in_.weight.data(),
                        .bias = s.bias ? in_.bias.data() : nullptr,
                        .y = y.data(),
                        .index = index.data(),
                        .workspace = workspace.fresh()});
        EXPECT_TRUE(
            is_close("y", y.values(), expected_.y, float32_tolerance(s.c / s.groups * s.r * s.s)));
        EXPECT_TRUE(y.is_intact("y"));
        EXPECT_TRUE(index.is_intact("index"));
        for (std::size_t i = 0; i < dy_.size(); ++i) {
            const std::uint8_t got = y.values()[i] > 0 ? index.data()[i] : ConvReluPool::inactive;
            ASSERT_EQ(got, expected_.index[i]) << "index at " << i;
        }
        for (const bool accumulate : {false, true}) {
            SCOPED_TRACE(accumulate ? "accumulating" : "overwriting");
            const Floats dweight = backward(kernel, workspace, index, accumulate, true);
            EXPECT_EQ(backward(kernel, workspace, index, accumulate, false), dweight)
                << "dweight without dx";
        }
    }

    Floats backward(ConvReluPool::Kernel& kernel, Workspace& workspace,
                    const Guarded<std::uint8_t>& index, bool accumulate, bool want_dx) const {
        const Conv2d::Shape& s = in_.shape;
        Guarded<float> dx(in_.x.size());
        Gradient dweight("dweight", expected_.gradients.dweight, accumulate);
        Gradient dbias("dbias", expected_.gradients.dbias, accumulate);
        kernel.backward({.x = in_.x.data(),
                         .weight = in_.weight.data(),
                         .index = index.data(),
                         .dy = dy_.data(),
                         .dx = want_dx ? dx.data() : nullptr,
                         .dweight = dweight.data(),
                         .dbias = s.bias ? dbias.data() : nullptr,
                         .accumulate = accumulate,
                         .workspace = workspace.fresh()});
        if (want_dx) {
            EXPECT_TRUE(is_close("dx", dx.values(), expected_.gradients.dx,
                                 float32_tolerance(s.k / s.groups * s.r * s.s)));
            EXPECT_TRUE(dx.is_intact("dx"));
        }
        const double tolerance = float32_tolerance(s.n * s.out_h() * s.out_w());
        dweight.expect_close(tolerance);
        dbias.expect_close(tolerance);
        return dweight.copy();
    }

    Conv2dInputs in_;
    Floats dy_;
    Expected expected_;
};

// Pooled as the presets do; smaller where the plane is.
ConvReluPool::Shape pooled(const Conv2d::Shape& conv) {
    return {conv,
            {.n = conv.n,
             .c = conv.k,
             .h = conv.out_h(),
             .w = conv.out_w(),
             .kernel_h = std::min<std::int64_t>(2, conv.out_h()),
             .kernel_w = std::min<std::int64_t>(2, conv.out_w())}};
}

}  // namespace

std::unique_ptr<Problem> golden_conv_relu_pool(const GoldenCase& golden) {
    Conv2dInputs inputs = Conv2dInputs::golden(golden);
    const ConvReluPool::Shape shape = pooled(inputs.shape);
    return std::make_unique<ConvReluPoolProblem>(golden.name, shape, std::move(inputs),
                                                 golden.doubles("y"));
}

Problems ugly_conv_relu_pool() {
    Problems problems;
    for (const Conv2d::Shape& conv : ugly_conv2d_shapes()) {
        Conv2dInputs inputs = Conv2dInputs::random(conv);
        const Doubles convolved = reference::conv2d(
            conv, doubles_of(inputs.x), doubles_of(inputs.weight), doubles_of(inputs.bias));
        problems.push_back(std::make_unique<ConvReluPoolProblem>(text_of(conv), pooled(conv),
                                                                 std::move(inputs), convolved));
    }
    return problems;
}

}  // namespace trainscope::testing
