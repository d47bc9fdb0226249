// SPDX-License-Identifier: GPL-3.0-or-later
// Problems of max_pool2d from golden cases and from random numbers.
#include <fmt/format.h>

#include <limits>

#include "engine/ops/max_pool2d.h"
#include "engine/ops/reference/max_pool2d.h"
#include "tests/ops/problems.h"

namespace trainscope::testing {
namespace {

struct Inputs {
    MaxPool2d::Shape shape;
    Floats x, dy;
};
struct Expected {
    Doubles y, dx;
};

Expected reference_results(const Inputs& in) {
    auto forward = reference::max_pool2d(in.shape, doubles_of(in.x));
    return {std::move(forward.y),
            reference::max_pool2d_backward(in.shape, doubles_of(in.dy), forward.index)};
}

// Values are chosen, not computed: they must be there to the bit, and NaN where it is expected.
void expect_same(std::span<const float> got, const Doubles& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        const auto value = static_cast<double>(got[i]);
        ASSERT_TRUE(value == expected[i] || (std::isnan(value) && std::isnan(expected[i])))
            << "y at " << i << " is " << value << " instead of " << expected[i];
    }
}

class MaxPool2dProblem final : public ProblemOf<MaxPool2d> {
  public:
    MaxPool2dProblem(std::string name, Inputs inputs, Expected expected)
        : ProblemOf(std::move(name), inputs.shape),
          in_(std::move(inputs)),
          expected_(std::move(expected)),
          index_(reference::max_pool2d(in_.shape, doubles_of(in_.x)).index) {}

    void expect_solved_by_reference() const override {
        const Expected got = reference_results(in_);
        EXPECT_TRUE(is_close("y", got.y, expected_.y, reference_tolerance));
        EXPECT_TRUE(is_close("dx", got.dx, expected_.dx, reference_tolerance));
    }

  private:
    void expect_solved(MaxPool2d::Kernel& kernel, Workspace&) const override {
        Guarded<float> y(expected_.y.size());
        Guarded<std::uint8_t> index(expected_.y.size());
        kernel.forward(in_.x.data(), y.data(), index.data());
        expect_same(y.values(), expected_.y);
        EXPECT_EQ(index.copy(), index_);
        EXPECT_TRUE(y.is_intact("y"));
        EXPECT_TRUE(index.is_intact("index"));

        Guarded<float> dx(expected_.dx.size());
        kernel.backward(in_.dy.data(), index.data(), dx.data());
        const std::int64_t overlap = in_.shape.kernel_h * in_.shape.kernel_w;
        EXPECT_TRUE(is_close("dx", dx.values(), expected_.dx, float32_tolerance(overlap)));
        EXPECT_TRUE(dx.is_intact("dx"));
    }

    Inputs in_;
    Expected expected_;
    std::vector<std::uint8_t> index_;
};

// Many ties, some NaN.
Floats coarse_floats(std::int64_t count, bool nans) {
    Floats values = random_floats(count, 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = std::round(values[i]);
        if (nans && i % 13 == 5) {
            values[i] = std::numeric_limits<float>::quiet_NaN();
        }
    }
    return values;
}

std::vector<MaxPool2d::Shape> shapes() {
    return {
        {.n = 1, .c = 1, .h = 1, .w = 1, .kernel_h = 1, .kernel_w = 1},
        {.n = 3, .c = 5, .h = 2, .w = 2},
        {.n = 2, .c = 3, .h = 13, .w = 11},
        {.n = 1, .c = 2, .h = 32, .w = 31},
        {.n = 2, .c = 1, .h = 34, .w = 67},
        {.n = 2, .c = 3, .h = 14, .w = 65, .stride_h = 1, .stride_w = 1},
        {.n = 2, .c = 3, .h = 9, .w = 10, .kernel_h = 3, .kernel_w = 3},
        {.n = 2, .c = 2, .h = 9, .w = 7, .kernel_h = 3, .kernel_w = 3, .pad_h = 1, .pad_w = 1},
        {.n = 1, .c = 2, .h = 3, .w = 2, .kernel_h = 5, .kernel_w = 3, .pad_h = 4, .pad_w = 2},
        {.n = 1,
         .c = 3,
         .h = 17,
         .w = 16,
         .kernel_h = 2,
         .kernel_w = 5,
         .stride_h = 3,
         .stride_w = 7},
        {.n = 1,
         .c = 1,
         .h = 17,
         .w = 19,
         .kernel_h = 15,
         .kernel_w = 17,
         .stride_h = 1,
         .stride_w = 1},
    };
}

}  // namespace

std::unique_ptr<Problem> golden_max_pool2d(const GoldenCase& golden) {
    const std::int64_t kernel = golden.integer("kernel");
    const std::int64_t stride = golden.integer("stride");
    const std::int64_t padding = golden.integer("padding", 0);
    const MaxPool2d::Shape shape{.n = golden.size("x", 0),
                                 .c = golden.size("x", 1),
                                 .h = golden.size("x", 2),
                                 .w = golden.size("x", 3),
                                 .kernel_h = kernel,
                                 .kernel_w = kernel,
                                 .stride_h = stride,
                                 .stride_w = stride,
                                 .pad_h = padding,
                                 .pad_w = padding};
    return std::make_unique<MaxPool2dProblem>(
        golden.name, Inputs{shape, golden.floats("x"), golden.floats("dy")},
        Expected{golden.doubles("y"), golden.doubles("dx")});
}

Problems ugly_max_pool2d() {
    Problems problems;
    for (const MaxPool2d::Shape& s : shapes()) {
        for (const std::string kind : {"normal", "ties", "NaN"}) {
            const Inputs inputs{s,
                                kind == "normal" ? random_floats(s.input_elements(), 1)
                                                 : coarse_floats(s.input_elements(), kind == "NaN"),
                                random_floats(s.output_elements(), 2)};
            problems.push_back(std::make_unique<MaxPool2dProblem>(
                fmt::format("[{}, {}, {}, {}] by {}x{}, stride {}x{}, pad {}x{}, {}", s.n, s.c, s.h,
                            s.w, s.kernel_h, s.kernel_w, s.stride_h, s.stride_w, s.pad_h, s.pad_w,
                            kind),
                inputs, reference_results(inputs)));
        }
    }
    return problems;
}

}  // namespace trainscope::testing
