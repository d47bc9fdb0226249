// SPDX-License-Identifier: GPL-3.0-or-later
// The dense variant `blocked` around the edges of its blocks, against sums in double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/ops/dense.h"
#include "engine/ops/dense_relu.h"
#include "engine/ops/kernel_variant.h"
#include "tests/support/numerics.h"
#include "tests/support/seeded_floats.h"

namespace trainscope {
namespace {

using testing::Doubles;
using testing::Floats;
using testing::strict_relative_error;

Floats random_floats(std::int64_t count, std::uint64_t stream) {
    return testing::seeded_floats(count, 5, stream);
}

struct Problem {
    Dense::Shape shape;
    Floats x, weight, bias, dy;
    Doubles y, dx, dweight, dbias;

    explicit Problem(const Dense::Shape& s)
        : shape(s),
          x(random_floats(s.n * s.in, 1)),
          weight(random_floats(s.out * s.in, 2)),
          bias(random_floats(s.out, 3)),
          dy(random_floats(s.n * s.out, 4)),
          y(dy.size()),
          dx(x.size()),
          dweight(weight.size()),
          dbias(bias.size()) {
        const auto in = static_cast<std::size_t>(s.in);
        const auto out = static_cast<std::size_t>(s.out);
        for (std::size_t no = 0; no < dy.size(); ++no) {
            const std::size_t n = no / out;
            const std::size_t o = no % out;
            y[no] = s.bias ? bias[o] : 0.0F;
            dbias[o] += double{dy[no]};
            for (std::size_t i = 0; i < in; ++i) {
                y[no] += double{x[n * in + i]} * double{weight[o * in + i]};
                dx[n * in + i] += double{dy[no]} * double{weight[o * in + i]};
                dweight[o * in + i] += double{dy[no]} * double{x[n * in + i]};
            }
        }
    }
};

std::unique_ptr<Dense::Kernel> blocked(const Dense::Shape& shape, int threads) {
    const auto variant = choose_variant<Dense>(DeviceKind::cpu, "blocked", shape);
    return (*variant)->make(shape, {.threads = threads});
}

void expect_sums(const Problem& p, int threads, bool accumulate) {
    const Dense::Shape& s = p.shape;
    const auto kernel = blocked(s, threads);
    Floats y(p.dy.size());
    Floats dx(p.x.size());
    Floats dweight(p.weight.size(), 1);
    Floats dbias(p.bias.size(), 1);
    kernel->forward({.x = p.x.data(),
                     .weight = p.weight.data(),
                     .bias = s.bias ? p.bias.data() : nullptr,
                     .y = y.data(),
                     .workspace = nullptr});
    kernel->backward({.x = p.x.data(),
                      .weight = p.weight.data(),
                      .dy = p.dy.data(),
                      .dx = dx.data(),
                      .dweight = dweight.data(),
                      .dbias = s.bias ? dbias.data() : nullptr,
                      .accumulate = accumulate,
                      .workspace = nullptr});
    EXPECT_LT(strict_relative_error(y, p.y), 1e-5);
    EXPECT_LT(strict_relative_error(dx, p.dx), 1e-5);
    EXPECT_LT(strict_relative_error(dweight, p.dweight, accumulate ? 1 : 0), 1e-5);
    if (s.bias) {
        EXPECT_LT(strict_relative_error(dbias, p.dbias, accumulate ? 1 : 0), 1e-5);
    }
}

TEST(DenseBlockedTest, SumsAreRightAroundTheEdgesOfItsBlocks) {
    for (const Dense::Shape shape : {Dense::Shape{1, 1, 1},
                                     {1, 7, 2},
                                     {3, 33, 5},
                                     {4, 512, 10},
                                     {5, 513, 11},
                                     {17, 255, 16},
                                     {33, 257, 17, false},
                                     {16, 3136, 10},
                                     {7, 1031, 67},
                                     {2, 64, 129}}) {
        const Problem problem(shape);
        for (const int threads : {1, 2, 5}) {
            SCOPED_TRACE(std::to_string(shape.n) + "x" + std::to_string(shape.in) + "x" +
                         std::to_string(shape.out) + " on " + std::to_string(threads));
            expect_sums(problem, threads, false);
            expect_sums(problem, threads, true);
        }
    }
}

TEST(DenseBlockedTest, WeightGradientsDoNotDependOnTheNumberOfThreads) {
    for (const std::int64_t in : {3136, 3111}) {
        const Problem p({16, in, 10});
        Floats one(p.weight.size());
        Floats three(p.weight.size());
        Floats dbias(10);
        Dense::Backward args{.x = p.x.data(),
                             .weight = p.weight.data(),
                             .dy = p.dy.data(),
                             .dx = nullptr,
                             .dweight = one.data(),
                             .dbias = dbias.data(),
                             .accumulate = false,
                             .workspace = nullptr};
        blocked(p.shape, 1)->backward(args);
        args.dweight = three.data();
        blocked(p.shape, 3)->backward(args);
        EXPECT_EQ(one, three) << in << " inputs";
    }
}

TEST(DenseBlockedTest, ReluBehindItCutsOffAtZeroAndLetsNanPass) {
    const Dense::Shape shape{.n = 3, .in = 2, .out = 2};
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Floats x = {1, 2, nan, 1, 0, 0};
    const Floats weight = {1, 1, -1, -1};
    const Floats bias = {1, 1};
    Floats y(6);
    const auto by = choose_variant<DenseRelu>(DeviceKind::cpu, "blocked", shape)
                        .value()
                        ->make(shape, {.threads = 1});
    by->forward({.x = x.data(),
                 .weight = weight.data(),
                 .bias = bias.data(),
                 .y = y.data(),
                 .workspace = nullptr});
    EXPECT_EQ(y[0], 4);
    EXPECT_EQ(y[1], 0);
    EXPECT_TRUE(std::isnan(y[2]));
    EXPECT_TRUE(std::isnan(y[3]));
    EXPECT_EQ(y[4], 1);
    Floats dy = {1, 2, 3, 4, 5, 6};
    Floats dweight(4);
    Floats dbias(2);
    by->backward({.dense = {.x = x.data(),
                            .weight = weight.data(),
                            .dy = nullptr,
                            .dx = nullptr,
                            .dweight = dweight.data(),
                            .dbias = dbias.data(),
                            .accumulate = false,
                            .workspace = nullptr},
                  .y = y.data(),
                  .dy = dy.data()});
    EXPECT_EQ(dy, (Floats{1, 0, 3, 4, 5, 6}));
    EXPECT_EQ(dbias, (Floats{9, 10}));
}

}  // namespace
}  // namespace trainscope
