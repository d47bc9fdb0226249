// SPDX-License-Identifier: GPL-3.0-or-later
// Every batch-norm variant against plain sums in double, where it is hard: large means, constant
// channels, few channels for many threads, gradients in place.
#include "engine/ops/batch_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "engine/ops/kernel_variant.h"
#include "tests/support/numerics.h"
#include "tests/support/seeded_floats.h"

namespace trainscope {
namespace {

using testing::Doubles;
using testing::Floats;
using testing::strict_relative_error;

Floats random_floats(std::int64_t count, std::uint64_t stream, double mean = 0,
                     double deviation = 1) {
    return testing::seeded_floats(count, 7, stream, mean, deviation);
}

// Inputs and what the definition makes of them.
struct Problem {
    BatchNorm::Shape shape;
    Floats x, dy, gamma, beta, running_mean, running_var;
    Doubles y, dx, mean, invstd, dgamma, dbeta, new_running_mean, new_running_var, evaluated;

    Problem(const BatchNorm::Shape& s, Floats values)
        : shape(s),
          x(std::move(values)),
          dy(random_floats(s.elements(), 2)),
          gamma(random_floats(s.c, 3, 1, 0.2)),
          beta(random_floats(s.c, 4)),
          running_mean(random_floats(s.c, 5)),
          running_var(static_cast<std::size_t>(s.c), 1.5F),
          y(x.size()),
          dx(x.size()),
          evaluated(x.size()) {
        for (std::int64_t c = 0; c < s.c; ++c) {
            compute(static_cast<std::size_t>(c));
        }
    }

  private:
    void for_values(std::size_t c, const std::function<void(std::size_t)>& body) const {
        const auto plane = static_cast<std::size_t>(shape.h * shape.w);
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (i / plane % static_cast<std::size_t>(shape.c) == c) {
                body(i);
            }
        }
    }
    void compute(std::size_t c) {
        const auto m = static_cast<double>(shape.values_per_channel());
        const double eps = double{shape.eps};
        const double momentum = double{shape.momentum};
        double sum = 0;
        double squares = 0;
        for_values(c, [&](std::size_t i) { sum += double{x[i]}; });
        for_values(c, [&](std::size_t i) { squares += std::pow(double{x[i]} - sum / m, 2); });
        mean.push_back(sum / m);
        invstd.push_back(1 / std::sqrt(squares / m + eps));
        new_running_mean.push_back((1 - momentum) * double{running_mean[c]} + momentum * sum / m);
        new_running_var.push_back((1 - momentum) * double{running_var[c]} +
                                  momentum * squares / (m - 1));
        dbeta.push_back(0);
        dgamma.push_back(0);
        for_values(c, [&](std::size_t i) {
            dbeta[c] += double{dy[i]};
            dgamma[c] += double{dy[i]} * (double{x[i]} - mean[c]) * invstd[c];
        });
        for_values(c, [&](std::size_t i) {
            const double xhat = (double{x[i]} - mean[c]) * invstd[c];
            y[i] = double{gamma[c]} * xhat + double{beta[c]};
            dx[i] = double{gamma[c]} * invstd[c] / m *
                    (m * double{dy[i]} - dbeta[c] - xhat * dgamma[c]);
            evaluated[i] = double{gamma[c]} * (double{x[i]} - double{running_mean[c]}) /
                               std::sqrt(double{running_var[c]} + eps) +
                           double{beta[c]};
        });
    }
};

double tolerance(const BatchNorm::Shape& shape) {
    const auto length = static_cast<double>(shape.values_per_channel());
    return std::min(1e-4, 1e-5 * std::sqrt(length / 1000 + 1));
}

// One variant made for a problem, and what it wrote.
struct Trial {
    const Problem& p;
    std::vector<std::byte> workspace;
    std::unique_ptr<BatchNorm::Kernel> kernel;
    Floats y, dx, dgamma, dbeta, mean, invstd, running_mean, running_var;

    Trial(const KernelVariant<BatchNorm>& variant, const Problem& problem, int threads)
        : p(problem),
          workspace(static_cast<std::size_t>(
              variant.workspace_bytes(problem.shape, {.threads = threads}))),
          kernel(variant.make(problem.shape, {.threads = threads})),
          y(p.x.size()),
          dx(p.x.size()),
          dgamma(p.gamma.size()),
          dbeta(p.gamma.size()),
          mean(p.gamma.size()),
          invstd(p.gamma.size()),
          running_mean(p.running_mean),
          running_var(p.running_var) {}

    void forward() {
        kernel->forward({.x = p.x.data(),
                         .gamma = p.gamma.data(),
                         .beta = p.beta.data(),
                         .y = y.data(),
                         .running_mean = running_mean.data(),
                         .running_var = running_var.data(),
                         .saved_mean = mean.data(),
                         .saved_invstd = invstd.data(),
                         .workspace = workspace.data()});
    }
    void backward(const float* dy, bool accumulate = false) {
        kernel->backward({.x = p.x.data(),
                          .gamma = p.gamma.data(),
                          .saved_mean = mean.data(),
                          .saved_invstd = invstd.data(),
                          .dy = dy,
                          .dx = dx.data(),
                          .dgamma = dgamma.data(),
                          .dbeta = dbeta.data(),
                          .accumulate = accumulate,
                          .workspace = workspace.data()});
    }
};

// Runs the test for every variant on one, two and more threads than there are channels.
void for_every_variant(const Problem& problem, const std::function<void(Trial&)>& test) {
    for (const KernelVariant<BatchNorm>& variant : variants_of<BatchNorm>(DeviceKind::cpu)) {
        if (!variant.trainable || variant.refuses(problem.shape)) {
            continue;
        }
        for (const int threads : {1, 2, 5}) {
            const BatchNorm::Shape& s = problem.shape;
            SCOPED_TRACE(variant.name + " on " + std::to_string(threads) + " threads, [" +
                         std::to_string(s.n) + ", " + std::to_string(s.c) + ", " +
                         std::to_string(s.h) + ", " + std::to_string(s.w) + "]");
            Trial trial(variant, problem, threads);
            test(trial);
        }
    }
}

void expect_definition(Trial& trial) {
    const double most = tolerance(trial.p.shape);
    trial.forward();
    EXPECT_LE(strict_relative_error(trial.y, trial.p.y), most) << "y";
    EXPECT_LE(strict_relative_error(trial.mean, trial.p.mean), most) << "mean";
    EXPECT_LE(strict_relative_error(trial.invstd, trial.p.invstd), most) << "invstd";
    EXPECT_LE(strict_relative_error(trial.running_mean, trial.p.new_running_mean), most)
        << "running mean";
    EXPECT_LE(strict_relative_error(trial.running_var, trial.p.new_running_var), most)
        << "running var";
    trial.backward(trial.p.dy.data());
    EXPECT_LE(strict_relative_error(trial.dbeta, trial.p.dbeta), most) << "dbeta";
    EXPECT_LE(strict_relative_error(trial.dgamma, trial.p.dgamma), most) << "dgamma";
    EXPECT_LE(strict_relative_error(trial.dx, trial.p.dx), most) << "dx";
}

TEST(BatchNormTest, EveryVariantMeetsTheDefinitionInShapesLargeSmallAndOdd) {
    for (const BatchNorm::Shape shape : {BatchNorm::Shape{3, 1, 1, 1},
                                         {1, 1, 1, 5},
                                         {16, 11, 1, 1},
                                         {7, 5, 3, 5},
                                         {3, 17, 7, 7, 1e-3F, 0.01F},
                                         {2, 3, 9, 9},
                                         {5, 16, 28, 28},
                                         {16, 3, 33, 31},
                                         {1, 2, 150, 160}}) {
        const Problem problem(shape, random_floats(shape.elements(), 1, 0.5, 2));
        for_every_variant(problem, expect_definition);
    }
}

TEST(BatchNormTest, AMeanOfTenThousandDeviationsCostsNoPrecision) {
    for (const BatchNorm::Shape shape : {BatchNorm::Shape{8, 3, 9, 9}, {32, 2, 16, 16}}) {
        const Problem problem(shape, random_floats(shape.elements(), 1, 1e4, 1));
        for_every_variant(problem, expect_definition);
    }
}

TEST(BatchNormTest, AMeanOfAFewDeviationsCostsNoPrecisionEither) {
    for (const double mean : {3.0, -7.0, 9.0, 100.0}) {
        const BatchNorm::Shape shape{16, 2, 28, 28};
        const Problem problem(shape, random_floats(shape.elements(), 1, mean, 1));
        for_every_variant(problem, expect_definition);
    }
}

TEST(BatchNormTest, OneLargeValueAtTheStartCostsNoPrecision) {
    const BatchNorm::Shape shape{8, 3, 9, 9};
    Floats x = random_floats(shape.elements(), 1);
    x[0] = 1e4F;
    const Problem problem(shape, x);
    for_every_variant(problem, expect_definition);
}

TEST(BatchNormTest, DeviationsFarBelowEpsAreNotAmplified) {
    const BatchNorm::Shape shape{8, 3, 5, 5};
    const Problem problem(shape, random_floats(shape.elements(), 1, 0, 1e-4));
    for_every_variant(problem, expect_definition);
}

TEST(BatchNormTest, AConstantChannelBecomesBeta) {
    const BatchNorm::Shape shape{6, 2, 5, 3};
    const Problem problem(shape, Floats(static_cast<std::size_t>(shape.elements()), 1234.567F));
    for_every_variant(problem, [](Trial& trial) {
        trial.forward();
        EXPECT_LE(strict_relative_error(trial.y, trial.p.y), 1e-5);
        EXPECT_NEAR(double{trial.invstd[0]}, 1 / std::sqrt(1e-5), 1e-2);
        trial.backward(trial.p.dy.data());
        EXPECT_LE(strict_relative_error(trial.dx, trial.p.dx), 1e-5);
    });
}

TEST(BatchNormTest, GradientsInPlaceOfTheOnesThatArriveAreTheSame) {
    for (const double mean : {0.0, 1e3}) {
        const BatchNorm::Shape shape{5, 3, 9, 7};
        const Problem problem(shape, random_floats(shape.elements(), 1, mean, 1));
        for_every_variant(problem, [](Trial& trial) {
            trial.forward();
            trial.dx = trial.p.dy;
            trial.backward(trial.dx.data());
            EXPECT_LE(strict_relative_error(trial.dx, trial.p.dx), tolerance(trial.p.shape));
            EXPECT_LE(strict_relative_error(trial.dgamma, trial.p.dgamma),
                      tolerance(trial.p.shape));
        });
    }
}

TEST(BatchNormTest, AccumulatedGradientsAreAddedToWhatIsThere) {
    const BatchNorm::Shape shape{5, 3, 4, 4};
    const Problem problem(shape, random_floats(shape.elements(), 1));
    for_every_variant(problem, [](Trial& trial) {
        trial.forward();
        trial.backward(trial.p.dy.data());
        trial.backward(trial.p.dy.data(), true);
        Doubles twice_dgamma = trial.p.dgamma;
        Doubles twice_dbeta = trial.p.dbeta;
        for (std::size_t c = 0; c < twice_dgamma.size(); ++c) {
            twice_dgamma[c] *= 2;
            twice_dbeta[c] *= 2;
        }
        EXPECT_LE(strict_relative_error(trial.dgamma, twice_dgamma), 1e-5);
        EXPECT_LE(strict_relative_error(trial.dbeta, twice_dbeta), 1e-5);
    });
}

TEST(BatchNormTest, EvaluationUsesTheRunningValuesEvenForOneValue) {
    for (const BatchNorm::Shape shape : {BatchNorm::Shape{1, 3, 1, 1}, {4, 5, 6, 7}}) {
        const Problem problem(shape, random_floats(shape.elements(), 1));
        for_every_variant(problem, [](Trial& trial) {
            trial.kernel->inference({.x = trial.p.x.data(),
                                     .gamma = trial.p.gamma.data(),
                                     .beta = trial.p.beta.data(),
                                     .running_mean = trial.running_mean.data(),
                                     .running_var = trial.running_var.data(),
                                     .y = trial.y.data(),
                                     .workspace = trial.workspace.data()});
            EXPECT_LE(strict_relative_error(trial.y, trial.p.evaluated), 1e-5);
            EXPECT_EQ(trial.running_mean, trial.p.running_mean);
            EXPECT_EQ(trial.running_var, trial.p.running_var);
        });
    }
}

}  // namespace
}  // namespace trainscope
