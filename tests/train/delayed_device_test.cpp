// SPDX-License-Identifier: GPL-3.0-or-later
// Training on a device that is behind the host: nothing waits for it, and nothing that it has done
// is lost.
#include <gmock/gmock.h>

#include "tests/train/delayed_runtime.h"
#include "tests/train/small_training.h"

namespace trainscope {
namespace {

using namespace testing;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::Le;

struct Delayed {
    DelayedRuntime* device = nullptr;  // the training's
    std::unique_ptr<Training> training;
};

Delayed delayed_training(const TrainerConfig& config, std::uint64_t lag = 7) {
    auto runtime = std::make_unique<DelayedRuntime>(lag);
    DelayedRuntime* const device = runtime.get();
    return {device, Training::create(config, banded_images(), std::move(runtime)).value()};
}

TrainerConfig two_micro_batches() {
    TrainerConfig config = small_config(small_bn_cnn());
    config.accumulation = 2;
    return config;
}

TEST(DelayedDevice, TrainsAndRecordsTheSameNumbersAsTheHost) {
    const auto host = make_training(two_micro_batches());
    const Delayed delayed = delayed_training(two_micro_batches());
    run_steps(*host, 20);
    run_steps(*delayed.training, 20);
    delayed.training->settle();
    EXPECT_EQ(delayed.training->parameters(), host->parameters());
    for (const Metric metric : {Metric::step, Metric::samples, Metric::loss, Metric::gradient_norm,
                                Metric::batch_samples, Metric::memory_peak}) {
        EXPECT_THAT(column(*delayed.training->telemetry(), metric),
                    ElementsAreArray(column(*host->telemetry(), metric)));
    }
}

TEST(DelayedDevice, StepsAreRecordedOnceItHasDoneThemAndAtMostFourAreOnTheirWay) {
    const Delayed delayed = delayed_training(small_config());
    std::size_t behind = 0;
    for (std::size_t step = 1; step <= 30; ++step) {
        run_steps(*delayed.training, 1);
        behind = std::max(behind, step - delayed.training->telemetry()->steps());
    }
    EXPECT_GE(behind, 1u);
    EXPECT_THAT(behind, Le(StepQueue::most_steps));
    delayed.training->settle();
    EXPECT_EQ(delayed.training->telemetry()->steps(), 30u);
}

TEST(DelayedDevice, IsNotWaitedForWhileItKeepsUp) {
    const Delayed delayed = delayed_training(small_config(), 7);
    run_steps(*delayed.training, 4);
    const std::int64_t waits = delayed.device->waits;
    run_steps(*delayed.training, 50);
    EXPECT_EQ(delayed.device->waits, waits);
}

TEST(DelayedDevice, IsWaitedForBeforeItsInputIsOverwritten) {
    // It passes nothing by itself: each micro-batch has to wait for the one three before it.
    const Delayed delayed = delayed_training(two_micro_batches(), 1'000'000);
    const auto host = make_training(two_micro_batches());
    run_steps(*delayed.training, 12);
    run_steps(*host, 12);
    EXPECT_GE(delayed.device->waits, 12);
    delayed.training->settle();
    EXPECT_EQ(delayed.training->parameters(), host->parameters());
    EXPECT_EQ(column(*delayed.training->telemetry(), Metric::loss),
              column(*host->telemetry(), Metric::loss));
}

TEST(DelayedDevice, KnobsEvaluationsAndStepsGivenUpAreAsOnTheHost) {
    const auto host = make_training(two_micro_batches());
    const Delayed delayed = delayed_training(two_micro_batches());
    for (Training* const training : {host.get(), delayed.training.get()}) {
        run_steps(*training, 3);
        EXPECT_FALSE(training->step([asked = 0]() mutable { return ++asked == 9; }));
        ASSERT_TRUE(training->evaluate([] { return false; }));
        ASSERT_TRUE(training->set(SetMicroBatch{7}));
        run_steps(*training, 5);
        ASSERT_TRUE(
            training->set(SetOptimizer{.kind = OptimizerKind::adam, .learning_rate = 0.001}));
        run_steps(*training, 5);
        ASSERT_TRUE(training->evaluate([] { return false; }));
        training->settle();
    }
    EXPECT_EQ(delayed.training->parameters(), host->parameters());
    EXPECT_EQ(column(*delayed.training->telemetry(), Metric::loss),
              column(*host->telemetry(), Metric::loss));
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(delayed.training->telemetry()->evaluations()[i].loss,
                  host->telemetry()->evaluations()[i].loss);
        EXPECT_EQ(delayed.training->telemetry()->evaluations()[i].accuracy,
                  host->telemetry()->evaluations()[i].accuracy);
    }
}

TEST(DelayedDevice, AMicroBatchThatIsRefusedLeavesTheStagingOfTheOldOne) {
    const auto host = make_training(small_config(small_bn_cnn()));
    const Delayed delayed = delayed_training(small_config(small_bn_cnn()));
    for (Training* const training : {host.get(), delayed.training.get()}) {
        run_steps(*training, 2);
        // Neither both settings at once nor the new one alone.
        training->arena().set_budget(training->arena().in_use().total());
        training->arena().fail_allocation(1);
        EXPECT_FALSE(training->set(SetMicroBatch{4}));
        run_steps(*training, 12);
        training->settle();
    }
    EXPECT_EQ(delayed.training->parameters(), host->parameters());
}

TEST(DelayedDevice, WhenItFailsTheTrainingSaysWhyAndKeepsWhatWasRecorded) {
    const Delayed delayed = delayed_training(small_config());
    run_steps(*delayed.training, 10);
    const std::size_t recorded = delayed.training->telemetry()->steps();
    delayed.device->broken = "The device fell off the bus.";
    run_steps(*delayed.training, 1);
    EXPECT_EQ(delayed.training->failure(), "The device fell off the bus.");
    EXPECT_EQ(delayed.training->telemetry()->steps(), recorded);
    EXPECT_EQ(delayed.training->steps(), static_cast<std::int64_t>(recorded));
    EXPECT_THAT(delayed.training->telemetry()->annotations().back().text(),
                HasSubstr("fell off the bus"));
}

}  // namespace
}  // namespace trainscope
