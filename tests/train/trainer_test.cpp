// SPDX-License-Identifier: GPL-3.0-or-later
// The trainer as others use it: on its own thread, through commands, status and telemetry.
#include "engine/train/trainer.h"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "tests/train/small_training.h"

namespace trainscope {
namespace {

using namespace testing;
using ::testing::HasSubstr;

bool reaches(const Trainer& trainer, TrainerState state) {
    return wait_until([&] { return trainer.status().state == state; });
}

TEST(Trainer, LearnsToTellTheClassesApart) {
    TrainerConfig config = small_config();
    config.epochs = 20;
    const auto trainer = make_trainer(config, banded_images(96, 40));
    trainer->wait();
    EXPECT_EQ(trainer->status().state, TrainerState::finished);
    EXPECT_EQ(trainer->status().epoch, 20);
    EXPECT_EQ(trainer->status().samples, 20 * 96);
    const auto& evaluations = trainer->telemetry()->evaluations();
    ASSERT_EQ(evaluations.size(), 20u);
    EXPECT_GT(evaluations[19].accuracy, 0.9);
}

TEST(Trainer, PausesStepsOnceResumesAndStops) {
    TrainerConfig config = small_config();
    config.start_paused = true;
    const auto trainer = make_trainer(config);
    EXPECT_EQ(trainer->status().state, TrainerState::paused);
    EXPECT_EQ(trainer->status().step, 0);

    EXPECT_TRUE(ask(*trainer, SingleStep{}).applied);
    ASSERT_TRUE(wait_until([&] { return trainer->status().step == 1; }));
    ASSERT_TRUE(reaches(*trainer, TrainerState::paused));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(trainer->status().step, 1);

    EXPECT_TRUE(ask(*trainer, Resume{}).applied);
    ASSERT_TRUE(wait_until([&] { return trainer->status().step > 20; }));
    EXPECT_TRUE(ask(*trainer, Pause{}).applied);
    EXPECT_EQ(trainer->status().state, TrainerState::paused);
    const std::int64_t step = trainer->status().step;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(trainer->status().step, step);

    EXPECT_TRUE(ask(*trainer, Stop{}).applied);
    trainer->wait();
    EXPECT_EQ(trainer->status().state, TrainerState::stopped);
}

}  // namespace
}  // namespace trainscope
