// SPDX-License-Identifier: GPL-3.0-or-later
// The dense variant `onednn` against sums in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/ops/dense.h"
#include "engine/ops/kernel_variant.h"
#include "tests/support/numerics.h"
#include "tests/support/seeded_floats.h"

namespace trainscope {
namespace {

using testing::Doubles;
using testing::Floats;
using testing::strict_relative_error;

Floats random_floats(std::int64_t count, std::uint64_t stream) {
    return testing::seeded_floats(count, 6, stream);
}

// rows x columns sums over `depth` of a(row, i) * b(i, column).
template <class A, class B>
Doubles product(std::int64_t rows, std::int64_t columns, std::int64_t depth, const A& a,
                const B& b) {
    Doubles result;
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t column = 0; column < columns; ++column) {
            double sum = 0;
            for (std::int64_t i = 0; i < depth; ++i) {
                sum += double{a(row, i)} * double{b(i, column)};
            }
            result.push_back(sum);
        }
    }
    return result;
}

struct Trial {
    static constexpr std::size_t guard = 64;
    Dense::Shape shape;
    Floats x, weight, bias, dy;
    Floats y, dx, dweight, dbias, workspace;
    std::unique_ptr<Dense::Kernel> kernel;

    Trial(const Dense::Shape& s, int threads)
        : shape(s),
          x(random_floats(s.n * s.in, 1)),
          weight(random_floats(s.out * s.in, 2)),
          bias(random_floats(s.out, 3)),
          dy(random_floats(s.n * s.out, 4)),
          y(dy.size()),
          dx(x.size()),
          dweight(weight.size()),
          dbias(bias.size()) {
        const auto variant = choose_variant<Dense>(DeviceKind::cpu, "onednn", s);
        const auto bytes = (*variant)->workspace_bytes(s, {.threads = threads});
        workspace.assign(static_cast<std::size_t>(bytes) / 4 + 2 * guard, 123.0F);
        kernel = (*variant)->make(s, {.threads = threads});
    }
    void forward() {
        kernel->forward({.x = x.data(),
                         .weight = weight.data(),
                         .bias = shape.bias ? bias.data() : nullptr,
                         .y = y.data(),
                         .workspace = workspace.data() + guard});
    }
    void backward(bool accumulate = false, bool with_dx = true) {
        kernel->backward({.x = x.data(),
                          .weight = weight.data(),
                          .dy = dy.data(),
                          .dx = with_dx ? dx.data() : nullptr,
                          .dweight = dweight.data(),
                          .dbias = shape.bias ? dbias.data() : nullptr,
                          .accumulate = accumulate,
                          .workspace = workspace.data() + guard});
    }

    float x_at(std::int64_t n, std::int64_t i) const { return at(x, n * shape.in + i); }
    float weight_at(std::int64_t o, std::int64_t i) const { return at(weight, o * shape.in + i); }
    float dy_at(std::int64_t n, std::int64_t o) const { return at(dy, n * shape.out + o); }
    static float at(const Floats& values, std::int64_t i) {
        return values[static_cast<std::size_t>(i)];
    }

    Doubles expected_y() const {
        Doubles result = product(
            shape.n, shape.out, shape.in, [&](auto n, auto i) { return x_at(n, i); },
            [&](auto i, auto o) { return weight_at(o, i); });
        for (std::size_t i = 0; shape.bias && i < result.size(); ++i) {
            result[i] += double{bias[i % bias.size()]};
        }
        return result;
    }
    Doubles expected_dx() const {
        return product(
            shape.n, shape.in, shape.out, [&](auto n, auto o) { return dy_at(n, o); },
            [&](auto o, auto i) { return weight_at(o, i); });
    }
    // Plus what was there before.
    void expect_gradients(double before = 0) const {
        Doubles dweight_sums = product(
            shape.out, shape.in, shape.n, [&](auto o, auto n) { return dy_at(n, o); },
            [&](auto n, auto i) { return x_at(n, i); });
        Doubles dbias_sums = product(
            shape.out, 1, shape.n, [&](auto o, auto n) { return dy_at(n, o); },
            [](auto, auto) { return 1.0F; });
        for (Doubles* sums : {&dweight_sums, &dbias_sums}) {
            for (double& sum : *sums) {
                sum += before;
            }
        }
        EXPECT_LT(strict_relative_error(dweight, dweight_sums), 1e-5);
        if (shape.bias) {
            EXPECT_LT(strict_relative_error(dbias, dbias_sums), 1e-5);
        }
    }
};

const std::vector<Dense::Shape> shapes = {
    {1, 1, 1},      {1, 7, 2},     {6, 37, 10},         {33, 257, 17, false},
    {32, 1568, 10}, {7, 1031, 67}, {5, 784, 129, true}, {2, 64, 129, false}};

void for_shapes(const std::function<void(Trial&)>& test) {
    for (const Dense::Shape& s : shapes) {
        for (const int threads : {1, 2, 3}) {
            SCOPED_TRACE(std::to_string(s.n) + "x" + std::to_string(s.in) + "x" +
                         std::to_string(s.out) + " on " + std::to_string(threads));
            Trial trial(s, threads);
            test(trial);
        }
    }
}

TEST(DenseOnednnTest, OutputsAndGradientsAreThoseOfTheDefinition) {
    for_shapes([](Trial& trial) {
        trial.forward();
        EXPECT_LT(strict_relative_error(trial.y, trial.expected_y()), 1e-5);
        trial.backward();
        EXPECT_LT(strict_relative_error(trial.dx, trial.expected_dx()), 1e-5);
        trial.expect_gradients();
    });
}

TEST(DenseOnednnTest, AccumulatedGradientsAreAddedToWhatIsThere) {
    for_shapes([](Trial& trial) {
        std::fill(trial.dweight.begin(), trial.dweight.end(), 1.0F);
        std::fill(trial.dbias.begin(), trial.dbias.end(), 1.0F);
        trial.backward(true);
        trial.expect_gradients(1);
    });
}

TEST(DenseOnednnTest, WithoutAnInputGradientTheWeightsStillGetTheirs) {
    for_shapes([](Trial& trial) {
        trial.backward(false, false);
        trial.expect_gradients();
        EXPECT_EQ(trial.dx, Floats(trial.dx.size()));
    });
}

TEST(DenseOnednnTest, NothingIsWrittenOutsideTheWorkspaceItAskedFor) {
    for_shapes([](Trial& trial) {
        trial.forward();
        trial.backward(true);
        const auto untouched = [](float f) { return f == 123.0F; };
        const Floats& all = trial.workspace;
        EXPECT_TRUE(std::all_of(all.begin(), all.begin() + Trial::guard, untouched));
        EXPECT_TRUE(std::all_of(all.end() - Trial::guard, all.end(), untouched));
    });
}

}  // namespace
}  // namespace trainscope
