// SPDX-License-Identifier: GPL-3.0-or-later
// Every softmax cross-entropy variant of the CPU against the definition written out in double.
#include "engine/ops/softmax_cross_entropy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/core/random.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope {
namespace {

using Totals = SoftmaxCrossEntropy::Totals;

struct Problem {
    SoftmaxCrossEntropy::Shape shape;
    std::vector<float> logits, targets;
    std::vector<std::int32_t> labels;

    explicit Problem(SoftmaxCrossEntropy::Shape s) : shape(s) {
        Random random(11);
        for (std::int64_t i = 0; i < s.n; ++i) {
            labels.push_back(
                static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(s.classes))));
            for (std::int64_t j = 0; j < s.classes; ++j) {
                logits.push_back(static_cast<float>(4 * random.normal()));
                targets.push_back(static_cast<float>(random.uniform(0, 0.4)));
            }
        }
    }
    const float* row(std::int64_t n) const { return logits.data() + n * shape.classes; }
    double target(std::int64_t n, std::int64_t j, bool soft) const {
        return soft ? double{targets[static_cast<std::size_t>(n * shape.classes + j)]}
                    : (labels[static_cast<std::size_t>(n)] == j ? 1.0 : 0.0);
    }
};

Totals expected_totals(const Problem& p, bool soft, std::vector<double>& dlogits) {
    Totals totals;
    for (std::int64_t n = 0; n < p.shape.n; ++n) {
        const float* z = p.row(n);
        const std::int64_t best = std::max_element(z, z + p.shape.classes) - z;
        double sum = 0;
        double weight = 0;
        std::int64_t label = 0;
        for (std::int64_t j = 0; j < p.shape.classes; ++j) {
            sum += std::exp(double{z[j]} - double{z[best]});
            weight += p.target(n, j, soft);
            label = p.target(n, j, soft) > p.target(n, label, soft) ? j : label;
        }
        for (std::int64_t j = 0; j < p.shape.classes; ++j) {
            const double log_p = double{z[j]} - double{z[best]} - std::log(sum);
            totals.loss_sum -= p.target(n, j, soft) * log_p;
            dlogits.push_back(weight * std::exp(log_p) - p.target(n, j, soft));
        }
        totals.correct += best == label ? 1 : 0;
    }
    return totals;
}

void expect_definition(const Problem& p, bool soft, int threads) {
    std::vector<double> gradient;
    const Totals expected = expected_totals(p, soft, gradient);
    for (const KernelVariant<SoftmaxCrossEntropy>& variant :
         variants_of<SoftmaxCrossEntropy>(DeviceKind::cpu)) {
        SCOPED_TRACE(variant.name);
        const auto kernel = variant.make(p.shape, {.threads = threads});
        SoftmaxCrossEntropy::Args args{.logits = p.logits.data(),
                                       .labels = soft ? nullptr : p.labels.data(),
                                       .targets = soft ? p.targets.data() : nullptr,
                                       .dlogits = nullptr,
                                       .totals = nullptr};
        Totals evaluated;
        args.totals = &evaluated;
        kernel->run(args);
        std::vector<float> in_place = p.logits;
        args.logits = in_place.data();
        args.dlogits = in_place.data();
        Totals got;
        args.totals = &got;
        kernel->run(args);
        EXPECT_NEAR(got.loss_sum, expected.loss_sum, 1e-6 * expected.loss_sum);
        EXPECT_EQ(evaluated.loss_sum, got.loss_sum);
        EXPECT_EQ(got.correct, expected.correct);
        for (std::size_t i = 0; i < gradient.size(); ++i) {
            ASSERT_NEAR(in_place[i], gradient[i], 1e-6 * (1 + std::abs(gradient[i]))) << i;
        }
    }
}

TEST(SoftmaxCrossEntropyTest, HardLabelsFollowTheDefinition) {
    for (const SoftmaxCrossEntropy::Shape shape :
         {SoftmaxCrossEntropy::Shape{1, 2}, {1, 10}, {7, 10}, {513, 10}, {31, 33}, {3, 5001}}) {
        SCOPED_TRACE(shape.classes);
        expect_definition(Problem(shape), false, 1);
        expect_definition(Problem(shape), false, 3);
    }
}

TEST(SoftmaxCrossEntropyTest, SoftTargetsThatDoNotSumToOneFollowTheDefinition) {
    for (const SoftmaxCrossEntropy::Shape shape :
         {SoftmaxCrossEntropy::Shape{1, 2}, {5, 10}, {257, 10}, {31, 33}, {3, 5001}}) {
        SCOPED_TRACE(shape.classes);
        expect_definition(Problem(shape), true, 1);
        expect_definition(Problem(shape), true, 3);
    }
}

Totals run_first_row(std::vector<float> logits, std::vector<float>& dlogits) {
    const auto classes = static_cast<std::int64_t>(logits.size());
    const auto variant = choose_variant<SoftmaxCrossEntropy>(DeviceKind::cpu, "auto", {1, classes});
    const auto kernel = (*variant)->make({1, classes}, {.threads = 1});
    const std::int32_t label = 0;
    dlogits.resize(logits.size());
    Totals totals;
    kernel->run({.logits = logits.data(),
                 .labels = &label,
                 .targets = nullptr,
                 .dlogits = dlogits.data(),
                 .totals = &totals});
    return totals;
}

TEST(SoftmaxCrossEntropyTest, HugeLogitsDoNotOverflow) {
    std::vector<float> gradient;
    const Totals totals = run_first_row({-3e38F, 3e38F, 0}, gradient);
    EXPECT_TRUE(std::isfinite(totals.loss_sum));
    EXPECT_EQ(gradient, (std::vector<float>{-1, 1, 0}));
}

TEST(SoftmaxCrossEntropyTest, ANanLogitGivesANanLossAndGradient) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t place = 0; place < 3; ++place) {
        std::vector<float> logits{1, 2, 3};
        logits[place] = nan;
        std::vector<float> gradient;
        EXPECT_TRUE(std::isnan(run_first_row(logits, gradient).loss_sum)) << place;
        EXPECT_TRUE(std::isnan(gradient[1])) << place;
    }
}

TEST(SoftmaxCrossEntropyTest, OnTiesTheFirstClassIsThePrediction) {
    std::vector<float> gradient;
    EXPECT_EQ(run_first_row({2, 2, 1}, gradient).correct, 1);
}

}  // namespace
}  // namespace trainscope
