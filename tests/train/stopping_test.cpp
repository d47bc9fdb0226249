// SPDX-License-Identifier: GPL-3.0-or-later
// Stop and pause do not wait for the end of a long accumulation window.
#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "tests/train/small_training.h"

namespace trainscope {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t many = 60'000;

std::shared_ptr<const Dataset> many_images() {
    static const std::shared_ptr<const Dataset> images = banded_images(many, 8);
    return images;
}

// One window is an epoch of many micro-batches, and training ends after one.
TrainerConfig one_long_window() {
    TrainerConfig config = small_config(small_bn_cnn(), 2);
    config.accumulation = 1'000'000;
    config.max_steps = 1;
    return config;
}

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

void let_it_run() {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
}

Parameters after_one_window() {
    const auto trainer = make_trainer(one_long_window(), many_images());
    trainer->wait();
    return *trainer->parameters();
}

TEST(Stopping, StopEndsALongWindowInItsMiddleAndSaysWhatWasDropped) {
    const auto trainer = make_trainer(one_long_window(), many_images());
    let_it_run();
    EXPECT_TRUE(ask(*trainer, Stop{}).applied);
    trainer->wait();
    const TrainerStatus status = trainer->status();
    EXPECT_EQ(status.state, TrainerState::stopped);
    EXPECT_EQ(status.step, 0);
    EXPECT_EQ(status.samples, 0);
    EXPECT_EQ(status.epoch_offset, 0);
    ASSERT_EQ(trainer->telemetry()->annotation_count(), 1u);
    EXPECT_THAT(trainer->telemetry()->annotations().front().reason,
                HasSubstr("samples seen after the last optimizer step were not learnt"));
    TrainerConfig paused = one_long_window();
    paused.start_paused = true;
    EXPECT_EQ(*trainer->parameters(), *make_trainer(paused, many_images())->parameters());
}

TEST(Stopping, StopBehindAKnobStillTurnsTheKnobFirst) {
    const auto trainer = make_trainer(one_long_window(), many_images());
    let_it_run();
    trainer->send(SetMicroBatch{4});
    EXPECT_TRUE(ask(*trainer, Stop{}).applied);
    trainer->wait();
    EXPECT_EQ(trainer->status().micro_batch, 4);
    EXPECT_EQ(trainer->status().step, 0);
}

TEST(Stopping, PauseHoldsALongWindowInItsMiddleAndResumeGoesOnWithIt) {
    const Parameters undisturbed = after_one_window();
    const auto begin = Clock::now();
    const auto trainer = make_trainer(one_long_window(), many_images());
    let_it_run();
    EXPECT_TRUE(ask(*trainer, Pause{}).applied);
    ASSERT_TRUE(wait_until([&] { return trainer->status().state == TrainerState::paused; }));
    EXPECT_EQ(trainer->status().step, 0);
    EXPECT_EQ(trainer->status().epoch_offset, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_EQ(trainer->status().step, 0);
    EXPECT_TRUE(ask(*trainer, Resume{}).applied);
    trainer->wait();
    EXPECT_EQ(trainer->status().step, 1);
    EXPECT_EQ(trainer->status().samples, many);
    EXPECT_EQ(*trainer->parameters(), undisturbed);
    EXPECT_EQ(trainer->telemetry()->annotation_count(), 0u);
    // The pause is no training time.
    EXPECT_LT(trainer->status().active_seconds, seconds_since(begin) - 0.3);
}

TEST(Stopping, KnobTurnedWhilePausedInAWindowIsTurnedBeforeItAndLosesNoSample) {
    const auto trainer = make_trainer(one_long_window(), many_images());
    let_it_run();
    ask(*trainer, Pause{});
    const CommandAnswer answer = ask(*trainer, SetMicroBatch{16});
    EXPECT_TRUE(answer.applied) << answer.reason;
    EXPECT_EQ(answer.step, 0);
    EXPECT_EQ(trainer->status().state, TrainerState::paused);
    ask(*trainer, Resume{});
    trainer->wait();
    EXPECT_EQ(trainer->status().samples, many);
    EXPECT_EQ(trainer->telemetry()->at(Metric::micro_batch, 0), 16);
    EXPECT_EQ(trainer->telemetry()->at(Metric::batch_samples, 0), many);
}

TEST(Stopping, KnobTurnedWhileAWindowRunsWaitsForItsEnd) {
    TrainerConfig config = one_long_window();
    config.max_steps = 2;
    const auto trainer = make_trainer(config, many_images());
    let_it_run();
    const CommandAnswer answer = ask(*trainer, SetMicroBatch{16});
    EXPECT_EQ(answer.step, 1);
    trainer->wait();
    EXPECT_EQ(trainer->telemetry()->at(Metric::micro_batch, 0), 2);
    EXPECT_EQ(trainer->telemetry()->at(Metric::micro_batch, 1), 16);
}

TEST(Stopping, SingleStepMakesTheWindowWholeAndPausesAgain) {
    TrainerConfig config = one_long_window();
    config.max_steps = 2;
    const auto trainer = make_trainer(config, many_images());
    let_it_run();
    ask(*trainer, Pause{});
    EXPECT_TRUE(ask(*trainer, SingleStep{}).applied);
    ASSERT_TRUE(wait_until([&] {
        return trainer->status().step == 1 && trainer->status().state == TrainerState::paused;
    }));
}

TEST(Stopping, ParametersOfAPausedWindowAreThoseBeforeItAndWhatIsSetHasItBeginAgain) {
    const Parameters undisturbed = after_one_window();
    TrainerConfig paused = one_long_window();
    paused.start_paused = true;
    const Parameters first = *make_trainer(paused, many_images())->parameters();
    const auto trainer = make_trainer(one_long_window(), many_images());
    let_it_run();
    ask(*trainer, Pause{});
    EXPECT_EQ(*trainer->parameters(), first);
    ASSERT_TRUE(trainer->set_parameters(first));
    EXPECT_EQ(*trainer->parameters(), first);
    ask(*trainer, Resume{});
    trainer->wait();
    EXPECT_EQ(trainer->status().step, 1);
    EXPECT_EQ(*trainer->parameters(), undisturbed);
}

TEST(Stopping, DestroyedWhilePausedInAWindowItEndsAtOnce) {
    auto trainer = make_trainer(one_long_window(), many_images());
    let_it_run();
    ask(*trainer, Pause{});
    const auto begin = Clock::now();
    trainer.reset();
    EXPECT_LT(seconds_since(begin), 1);
}

}  // namespace
}  // namespace trainscope
