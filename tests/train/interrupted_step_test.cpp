// SPDX-License-Identifier: GPL-3.0-or-later
// A step or an evaluation that is given up between two stages changes nothing.
#include <gmock/gmock.h>

#include "tests/train/small_training.h"

namespace trainscope {
namespace {

using namespace testing;
using ::testing::Ge;

// Says no so often, then yes.
Interrupted after(int questions) {
    return [left = questions]() mutable { return left-- == 0; };
}

int questions_of_a_step(Training& training) {
    int asked = 0;
    EXPECT_TRUE(training.step([&] {
        ++asked;
        return false;
    }));
    return asked;
}

TrainerConfig three_micro_batches() {
    TrainerConfig config = small_config(small_bn_cnn());
    config.accumulation = 3;
    return config;
}

TEST(InterruptedStep, IsAskedForBetweenTheStagesOfForwardAndBackward) {
    TrainerConfig config = small_config(small_bn_cnn());
    // Convolution, batch norm, ReLU, pooling and dense, there and back.
    EXPECT_THAT(questions_of_a_step(*make_training(config)), Ge(10));
}

TEST(InterruptedStep, WhereverItIsGivenUpParametersAndPositionAreAsBefore) {
    const auto training = make_training(three_micro_batches());
    run_steps(*training, 1);
    const int questions = questions_of_a_step(*make_training(three_micro_batches()));
    const Parameters before = training->parameters();  // with batch norm's running values
    for (int i = 0; i < questions; ++i) {
        ASSERT_FALSE(training->step(after(i))) << i;
        ASSERT_EQ(training->parameters(), before) << i;
        ASSERT_EQ(training->position(), (SamplePosition{0, 48})) << i;
        ASSERT_EQ(training->steps(), 1) << i;
        ASSERT_EQ(training->samples(), 48) << i;
    }
}

TEST(InterruptedStep, IsMadeAfterwardsAsIfNothingHadBeen) {
    const auto undisturbed = make_training(three_micro_batches());
    const auto disturbed = make_training(three_micro_batches());
    const int questions = questions_of_a_step(*make_training(three_micro_batches()));
    for (int i = 0; i < questions; ++i) {
        ASSERT_FALSE(disturbed->step(after(i)));
        run_steps(*disturbed, 1);
        run_steps(*undisturbed, 1);
        ASSERT_EQ(disturbed->parameters(), undisturbed->parameters()) << i;
    }
    EXPECT_EQ(column(*disturbed->telemetry(), Metric::loss),
              column(*undisturbed->telemetry(), Metric::loss));
}

TEST(InterruptedStep, SaysHowManySamplesWereNotLearntIfThereWereAny) {
    const auto training = make_training(three_micro_batches());
    ASSERT_FALSE(training->step(after(0)));
    training->annotate_dropped();
    EXPECT_EQ(training->telemetry()->annotation_count(), 0u);
    const int questions = questions_of_a_step(*make_training(three_micro_batches()));
    ASSERT_FALSE(training->step(after(questions - 1)));
    training->annotate_dropped();
    ASSERT_EQ(training->telemetry()->annotation_count(), 1u);
    EXPECT_EQ(training->telemetry()->annotations().front().text(),
              "stopped within an accumulation window: 32 samples seen after the last optimizer "
              "step were not learnt");
}

TEST(InterruptedEvaluation, WhereverItIsGivenUpRecordsAndChangesNothing) {
    const auto undisturbed = make_training(three_micro_batches());
    const auto disturbed = make_training(three_micro_batches());
    int questions = 0;
    EXPECT_TRUE(make_training(three_micro_batches())->evaluate([&] {
        ++questions;
        return false;
    }));
    EXPECT_THAT(questions, Ge(3 * 5));  // 40 test samples, five stages
    for (int i = 0; i < questions; ++i) {
        ASSERT_FALSE(disturbed->evaluate(after(i))) << i;
        run_steps(*disturbed, 1);
        run_steps(*undisturbed, 1);
        ASSERT_EQ(disturbed->parameters(), undisturbed->parameters()) << i;
    }
    EXPECT_EQ(disturbed->telemetry()->evaluations().size(), 0u);
}

}  // namespace
}  // namespace trainscope
