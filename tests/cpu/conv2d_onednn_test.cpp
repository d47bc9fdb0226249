// SPDX-License-Identifier: GPL-3.0-or-later
// The convolution variant `onednn` against plain loops in double: channels that fill no block,
// groups, strides, what it may touch of the workspace, accumulation, and the threads it leaves
// behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "engine/ops/conv2d.h"
#include "engine/ops/kernel_variant.h"
#include "tests/support/numerics.h"
#include "tests/support/seeded_floats.h"

namespace trainscope {
namespace {

using testing::Doubles;
using testing::Floats;
using testing::strict_relative_error;

Floats random_floats(std::int64_t count, std::uint64_t stream) {
    return testing::seeded_floats(count, 9, stream);
}

struct Problem {
    Conv2d::Shape shape;
    Floats x, weight, bias, dy;
    Doubles y, dx, dweight, dbias;

    explicit Problem(const Conv2d::Shape& s)
        : shape(s),
          x(random_floats(s.input_elements(), 1)),
          weight(random_floats(s.weight_elements(), 2)),
          bias(random_floats(s.k, 3)),
          dy(random_floats(s.output_elements(), 4)),
          y(dy.size()),
          dx(x.size()),
          dweight(weight.size()),
          dbias(bias.size()) {
        std::size_t at_y = 0;
        for (std::int64_t n = 0; n < s.n; ++n) {
            for (std::int64_t k = 0; k < s.k; ++k) {
                for (std::int64_t i = 0; i < s.out_h(); ++i) {
                    for (std::int64_t j = 0; j < s.out_w(); ++j, ++at_y) {
                        compute(at_y, n, k, i * s.stride_h - s.pad_h, j * s.stride_w - s.pad_w);
                    }
                }
            }
        }
    }

  private:
    void compute(std::size_t at_y, std::int64_t n, std::int64_t k, std::int64_t top,
                 std::int64_t left) {
        const Conv2d::Shape& s = shape;
        const std::int64_t group_c = s.c / s.groups;
        const std::int64_t first_c = k / (s.k / s.groups) * group_c;
        const double gradient = double{dy[at_y]};
        const auto filter = static_cast<std::size_t>(k);
        y[at_y] = s.bias ? double{bias[filter]} : 0;
        dbias[filter] += gradient;
        for (std::int64_t c = 0; c < group_c; ++c) {
            for (std::int64_t i = 0; i < s.r; ++i) {
                for (std::int64_t j = 0; j < s.s; ++j) {
                    if (top + i < 0 || top + i >= s.h || left + j < 0 || left + j >= s.w) {
                        continue;
                    }
                    const auto at_x = static_cast<std::size_t>(
                        ((n * s.c + first_c + c) * s.h + top + i) * s.w + left + j);
                    const auto at_w =
                        static_cast<std::size_t>(((k * group_c + c) * s.r + i) * s.s + j);
                    y[at_y] += double{x[at_x]} * double{weight[at_w]};
                    dx[at_x] += gradient * double{weight[at_w]};
                    dweight[at_w] += gradient * double{x[at_x]};
                }
            }
        }
    }
};

// The variant made for a problem, between guards that show writing past the workspace.
struct Trial {
    static constexpr std::size_t guard = 64;
    const Problem& p;
    std::size_t bytes;
    Floats workspace;
    std::unique_ptr<Conv2d::Kernel> kernel;
    Floats y, dx, dweight, dbias;

    Trial(const Problem& problem, int threads)
        : p(problem),
          y(p.dy.size()),
          dx(p.x.size()),
          dweight(p.weight.size()),
          dbias(p.bias.size()) {
        const auto variant = choose_variant<Conv2d>(DeviceKind::cpu, "onednn", p.shape);
        bytes =
            static_cast<std::size_t>((*variant)->workspace_bytes(p.shape, {.threads = threads}));
        workspace.assign(bytes / 4 + 2 * guard, 123.0F);
        kernel = (*variant)->make(p.shape, {.threads = threads});
    }
    void forward() {
        kernel->forward({.x = p.x.data(),
                         .weight = p.weight.data(),
                         .bias = p.shape.bias ? p.bias.data() : nullptr,
                         .y = y.data(),
                         .workspace = workspace.data() + guard});
    }
    void backward(bool accumulate = false, bool with_dx = true) {
        kernel->backward({.x = p.x.data(),
                          .weight = p.weight.data(),
                          .dy = p.dy.data(),
                          .dx = with_dx ? dx.data() : nullptr,
                          .dweight = dweight.data(),
                          .dbias = p.shape.bias ? dbias.data() : nullptr,
                          .accumulate = accumulate,
                          .workspace = workspace.data() + guard});
    }
    void expect_gradients(double added = 0) const {
        EXPECT_LT(strict_relative_error(dweight, p.dweight, added), 1e-5);
        if (p.shape.bias) {
            EXPECT_LT(strict_relative_error(dbias, p.dbias, added), 1e-5);
        }
    }
    bool guards_are_whole() const {
        const auto untouched = [](float f) { return f == 123.0F; };
        return std::all_of(workspace.begin(), workspace.begin() + guard, untouched) &&
               std::all_of(workspace.end() - guard, workspace.end(), untouched);
    }
};

const std::vector<Conv2d::Shape> shapes = {
    {.n = 1, .c = 1, .h = 1, .w = 1, .k = 1, .r = 1, .s = 1},
    {.n = 3, .c = 1, .h = 28, .w = 28, .k = 16, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1},
    {.n = 2,
     .c = 3,
     .h = 17,
     .w = 13,
     .k = 7,
     .r = 3,
     .s = 3,
     .pad_h = 1,
     .pad_w = 1,
     .bias = false},
    {.n = 5, .c = 16, .h = 9, .w = 9, .k = 32, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1},
    {.n = 2, .c = 19, .h = 8, .w = 7, .k = 33, .r = 5, .s = 5, .pad_h = 2, .pad_w = 2},
    {.n = 3, .c = 8, .h = 9, .w = 7, .k = 6, .r = 1, .s = 1},
    {.n = 2,
     .c = 5,
     .h = 17,
     .w = 12,
     .k = 7,
     .r = 3,
     .s = 2,
     .stride_h = 2,
     .stride_w = 3,
     .pad_h = 1},
    {.n = 2,
     .c = 8,
     .h = 10,
     .w = 10,
     .k = 12,
     .r = 3,
     .s = 3,
     .pad_h = 1,
     .pad_w = 1,
     .groups = 4},
    {.n = 2,
     .c = 6,
     .h = 11,
     .w = 11,
     .k = 6,
     .r = 3,
     .s = 3,
     .stride_h = 2,
     .stride_w = 2,
     .pad_h = 1,
     .pad_w = 1,
     .groups = 6},
    {.n = 2, .c = 32, .h = 6, .w = 6, .k = 64, .r = 3, .s = 3, .groups = 2, .bias = false},
    {.n = 2, .c = 2, .h = 4, .w = 4, .k = 3, .r = 2, .s = 2, .pad_h = 3, .pad_w = 3},
};

std::string text(const Conv2d::Shape& s) {
    std::string all;
    for (const std::int64_t number : {s.n, s.c, s.h, s.w, s.k, s.r, s.s, s.stride_h, s.groups}) {
        all += std::to_string(number) + " ";
    }
    return all;
}

TEST(Conv2dOnednnTest, OutputsAndGradientsAreThoseOfTheDefinition) {
    for (const Conv2d::Shape& shape : shapes) {
        const Problem problem(shape);
        for (const int threads : {1, 2, 3}) {
            SCOPED_TRACE(text(shape) + "on " + std::to_string(threads));
            Trial trial(problem, threads);
            trial.forward();
            EXPECT_LT(strict_relative_error(trial.y, problem.y), 1e-5);
            trial.backward();
            EXPECT_LT(strict_relative_error(trial.dx, problem.dx), 1e-5);
            trial.expect_gradients();
        }
    }
}

TEST(Conv2dOnednnTest, NothingIsWrittenOutsideTheWorkspaceItAskedFor) {
    for (const Conv2d::Shape& shape : shapes) {
        SCOPED_TRACE(text(shape));
        const Problem problem(shape);
        for (const int threads : {1, 2, 3}) {
            Trial trial(problem, threads);
            trial.forward();
            trial.backward();
            trial.backward(true);
            EXPECT_TRUE(trial.guards_are_whole());
        }
    }
}

TEST(Conv2dOnednnTest, WhatLayInTheWorkspaceBeforeDoesNotMatter) {
    for (const Conv2d::Shape& shape : shapes) {
        SCOPED_TRACE(text(shape));
        const Problem problem(shape);
        Trial trial(problem, 1);
        for (int round = 0; round < 2; ++round) {
            std::fill(trial.workspace.begin(), trial.workspace.end(), std::nanf(""));
            trial.forward();
            EXPECT_LT(strict_relative_error(trial.y, problem.y), 1e-5);
            std::fill(trial.workspace.begin(), trial.workspace.end(), std::nanf(""));
            trial.backward();
            EXPECT_LT(strict_relative_error(trial.dx, problem.dx), 1e-5);
            trial.expect_gradients();
        }
    }
}

TEST(Conv2dOnednnTest, AccumulatedGradientsAreAddedToWhatIsThere) {
    for (const Conv2d::Shape& shape : shapes) {
        SCOPED_TRACE(text(shape));
        const Problem problem(shape);
        Trial trial(problem, 2);
        std::fill(trial.dweight.begin(), trial.dweight.end(), 1.0F);
        std::fill(trial.dbias.begin(), trial.dbias.end(), 1.0F);
        trial.backward(true);
        trial.expect_gradients(1);
        trial.backward(false);
        trial.expect_gradients();
    }
}

TEST(Conv2dOnednnTest, WithoutAnInputGradientTheWeightsStillGetTheirs) {
    for (const Conv2d::Shape& shape : shapes) {
        SCOPED_TRACE(text(shape));
        const Problem problem(shape);
        Trial trial(problem, 2);
        trial.backward(false, false);
        trial.expect_gradients();
    }
}

TEST(Conv2dOnednnTest, OneKernelServesTensorsWhereverTheyLie) {
    const Problem problem(shapes[3]);
    Trial trial(problem, 1);
    trial.forward();
    const Floats first = trial.y;
    const Floats x = problem.x;
    Floats y(trial.y.size());
    Floats workspace(trial.workspace.size());
    trial.kernel->forward({.x = x.data(),
                           .weight = problem.weight.data(),
                           .bias = problem.bias.data(),
                           .y = y.data(),
                           .workspace = workspace.data()});
    EXPECT_EQ(y, first);
}

TEST(Conv2dOnednnTest, OneThreadGivesTheSameBitsEachTime) {
    const Problem problem(shapes[4]);
    Trial first(problem, 1);
    Trial second(problem, 1);
    for (Trial* trial : {&first, &second}) {
        trial->forward();
        trial->backward();
    }
    EXPECT_EQ(first.y, second.y);
    EXPECT_EQ(first.dx, second.dx);
    EXPECT_EQ(first.dweight, second.dweight);
    EXPECT_EQ(first.dbias, second.dbias);
}

TEST(Conv2dOnednnTest, AShapeThatOneDnnCannotHoldIsRefusedWithAReason) {
    const auto variant = choose_variant<Conv2d>(
        DeviceKind::cpu, "onednn", {.n = 2, .c = 1, .h = 2, .w = 2, .k = 1, .r = 4, .s = 4});
    ASSERT_FALSE(variant);
    EXPECT_NE(variant.error().message.find("oneDNN"), std::string::npos) << variant.error().message;
}

#if defined(_OPENMP)
TEST(Conv2dOnednnTest, TheThreadsOfOthersAreLeftAsTheyWere) {
    const int before = omp_get_max_threads();
    const Problem problem(shapes[3]);
    Trial trial(problem, before + 1);
    trial.forward();
    trial.backward();
    EXPECT_EQ(omp_get_max_threads(), before);
}
#endif

}  // namespace
}  // namespace trainscope
