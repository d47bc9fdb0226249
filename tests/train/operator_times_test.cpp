// SPDX-License-Identifier: GPL-3.0-or-later
// What a training records of the time that each of its layers takes.
#include "engine/train/operator_times.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "engine/train/operator_timer.h"
#include "tests/train/small_training.h"

namespace trainscope {
namespace {

using namespace testing;

TrainerConfig separate(ModelSpec model = small_bn_cnn()) {
    TrainerConfig config = small_config(std::move(model), 24);  // 4 an epoch, none short
    config.variants.set("conv_relu_pool", "separate");
    config.variants.set("batch_norm_relu", "separate");
    return config;
}

void wait_until_due() {
    std::this_thread::sleep_for(OperatorTimer::interval + std::chrono::milliseconds(5));
}

TEST(OperatorTimes, NameEveryLayerAndTheOperatorThatComputesIt) {
    const auto training = make_training(separate());
    const std::vector<TimedOperator>& operators =
        training->telemetry()->operator_times().operators();
    ASSERT_EQ(operators.size(), training->graph().nodes.size());
    EXPECT_EQ(operators.front().op, "conv2d");
    EXPECT_EQ(operators.back().op, "softmax_cross_entropy");
    for (std::size_t i = 0; i < operators.size(); ++i) {
        EXPECT_EQ(operators[i].layer, training->graph().nodes[i].name);
        EXPECT_EQ(operators[i].op.empty(), training->graph().nodes[i].type == "flatten");
    }
}

TEST(OperatorTimes, AreThoseOfEachPassAndTogetherNoMoreThanTheStep) {
    const auto training = make_training(separate());
    run_steps(*training, 3);
    const Telemetry& telemetry = *training->telemetry();
    const OperatorTimes& times = telemetry.operator_times();
    ASSERT_EQ(times.rows(), 1u) << "the first step warms up";
    ASSERT_EQ(times.step(0), 2);
    double sums[pass_count] = {};
    for (std::size_t op = 0; op < times.operators().size(); ++op) {
        SCOPED_TRACE(times.operators()[op].layer);
        const bool view = times.operators()[op].op.empty();
        const bool loss = op + 1 == times.operators().size();
        for (const Pass pass : {Pass::forward, Pass::backward}) {
            const double seconds = times.seconds(0, op, pass);
            // The loss gives the gradient with its forward pass.
            EXPECT_EQ(std::isnan(seconds), view || (loss && pass == Pass::backward));
            if (!std::isnan(seconds)) {
                EXPECT_GE(seconds, 0);
                sums[static_cast<std::size_t>(pass)] += seconds;
            }
        }
    }
    EXPECT_GT(sums[0], 0);
    EXPECT_GT(sums[1], 0);
    EXPECT_LE(sums[0], telemetry.at(Metric::forward_seconds, 1));
    EXPECT_LE(sums[1], telemetry.at(Metric::backward_seconds, 1));
}

TEST(OperatorTimes, OfAFusedOperatorStandAtItsFirstLayer) {
    TrainerConfig config = small_config(small_cnn(), 24);
    config.variants.set("conv_relu_pool", "fused_direct");
    const auto training = make_training(config);
    run_steps(*training, 3);
    const OperatorTimes& times = training->telemetry()->operator_times();
    ASSERT_EQ(times.rows(), 1u);
    EXPECT_GT(times.seconds(0, 0, Pass::forward), 0);
    EXPECT_TRUE(std::isnan(times.seconds(0, 1, Pass::forward)));
    EXPECT_TRUE(std::isnan(times.seconds(0, 2, Pass::backward)));
}

TEST(OperatorTimes, OfAReluThatRunsInItsBatchNormAreBlank) {
    TrainerConfig config = separate();
    config.variants.set("batch_norm_relu", "fused_relu");
    const auto training = make_training(config);
    run_steps(*training, 3);
    const OperatorTimes& times = training->telemetry()->operator_times();
    ASSERT_EQ(times.rows(), 1u);
    ASSERT_EQ(times.operators()[2].op, "relu");
    for (const Pass pass : {Pass::forward, Pass::backward}) {
        EXPECT_GT(times.seconds(0, 1, pass), 0) << "batch norm";
        EXPECT_TRUE(std::isnan(times.seconds(0, 2, pass)));
        EXPECT_GT(times.seconds(0, 3, pass), 0) << "max pool";
    }
}

TEST(OperatorTimes, GoOnWhenAVariantIsTurnedAndAreTakenSeldom) {
    const auto training = make_training(separate());
    const OperatorTimes& times = training->telemetry()->operator_times();
    run_steps(*training, 3);
    const auto begin = std::chrono::steady_clock::now();
    run_steps(*training, 12);
    const auto spent = std::chrono::steady_clock::now() - begin;
    EXPECT_LE(times.rows(), 2u + static_cast<std::size_t>(spent / OperatorTimer::interval));
    const std::size_t before = times.rows();
    ASSERT_TRUE(training->set(SetVariant{"conv2d", "direct"}));
    wait_until_due();
    run_steps(*training, 3);
    ASSERT_EQ(times.rows(), before + 1);
    EXPECT_EQ(times.step(before), static_cast<double>(training->steps() - 1))
        << "the new kernels run once before they are timed";
}

TEST(OperatorTimes, AStepThatWasInterruptedIsNotRecorded) {
    const auto training = make_training(separate());
    const OperatorTimes& times = training->telemetry()->operator_times();
    run_steps(*training, 1);
    int questions = 0;
    EXPECT_FALSE(training->step([&] { return ++questions > 4; }));
    EXPECT_EQ(times.rows(), 0u);
    wait_until_due();
    run_steps(*training, 1);
    ASSERT_EQ(times.rows(), 1u);
    EXPECT_EQ(times.step(0), 2);
}

TEST(OperatorTimes, AreNotTakenWhereStepsAreNotRecorded) {
    TrainerConfig config = separate();
    config.record_steps = false;
    const auto training = make_training(config);
    run_steps(*training, 5);
    EXPECT_EQ(training->telemetry()->operator_times().rows(), 0u);
}

TEST(OperatorTimes, OfManyMicroBatchesAnUpdateAreThoseOfTheFirst) {
    TrainerConfig config = separate();
    config.accumulation = 4;
    const auto training = make_training(config);
    run_steps(*training, 3);
    const Telemetry& telemetry = *training->telemetry();
    ASSERT_EQ(telemetry.operator_times().rows(), 1u);
    double sum = 0;
    for (std::size_t op = 0; op + 1 < telemetry.operator_times().operators().size(); ++op) {
        const double seconds = telemetry.operator_times().seconds(0, op, Pass::backward);
        sum += std::isnan(seconds) ? 0 : seconds;
    }
    EXPECT_LT(sum, telemetry.at(Metric::backward_seconds, 1));
}

}  // namespace
}  // namespace trainscope
