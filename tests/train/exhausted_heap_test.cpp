// SPDX-License-Identifier: GPL-3.0-or-later
// Whichever allocation of the training's thread fails: a knob is refused or turned, never half, and
// the training goes on, or it ends with a sentence and what it recorded.
#include <gmock/gmock.h>

#include "tests/support/heap.h"
#include "tests/train/small_training.h"

namespace trainscope {
namespace {

using namespace testing;
using ::testing::HasSubstr;

class ExhaustedHeapOfATraining : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!heap_is_ours) {
            GTEST_SKIP() << "a sanitizer's heap cannot be exhausted";
        }
    }
};

TrainerConfig paused_config() {
    TrainerConfig config = small_config(small_bn_cnn());
    config.start_paused = true;
    return config;
}

// What a person sees of the knobs.
std::string knobs_of(const TrainerStatus& status) {
    return fmt::format("{} {} {} {} {}", status.micro_batch, status.accumulation,
                       name_of(status.optimizer.kind), status.variants.of("conv2d"),
                       status.memory.total());
}

// Sends the command with each of its allocations failing, one after the other; how often it was
// refused for that.
int refusals_of(const CommandBody& command) {
    const auto never = make_trainer(paused_config());
    const std::string before = knobs_of(never->status());
    EXPECT_TRUE(ask(*never, command).applied);
    const std::string after = knobs_of(never->status());
    int refusals = 0;
    bool failed = true;
    for (long i = 0; failed; ++i) {
        const auto trainer = make_trainer(paused_config());
        EXPECT_TRUE(wait_until([&] { return trainer->parameters().has_value(); }));
        CommandAnswer answer;
        {
            const ExhaustedHeap heap(i);
            answer = ask(*trainer, command);
            failed = heap.failed();
        }
        const std::string& expected = answer.applied ? after : before;
        EXPECT_TRUE(wait_until([&] { return knobs_of(trainer->status()) == expected; })) << i;
        if (!answer.applied) {
            EXPECT_TRUE(failed) << answer.reason;
            ++refusals;
        }
        EXPECT_TRUE(ask(*trainer, Resume{}).applied) << i;
        EXPECT_TRUE(wait_until([&] { return trainer->status().step > 14; })) << i;
        const auto micro_batch = static_cast<double>(trainer->status().micro_batch);
        EXPECT_EQ(trainer->telemetry()->at(Metric::samples, 5), 6 * micro_batch) << i;
    }
    return refusals;
}

TEST_F(ExhaustedHeapOfATraining, RefusesAMicroBatchAndGoesOn) {
    EXPECT_GT(refusals_of(SetMicroBatch{8}), 20);
}

TEST_F(ExhaustedHeapOfATraining, RefusesAVariantAndGoesOn) {
    EXPECT_GT(refusals_of(SetVariant{"conv2d", "direct"}), 20);
}

TEST_F(ExhaustedHeapOfATraining, RefusesAnOptimizerAndGoesOn) {
    EXPECT_GT(refusals_of(SetOptimizer{OptimizerKind::adam, {}}), 5);
}

TEST_F(ExhaustedHeapOfATraining, RefusesAnEvaluationAndGoesOn) {
    EXPECT_GT(refusals_of(EvaluateNow{}), 5);
}

TEST_F(ExhaustedHeapOfATraining, EndsATrainingThatCannotStepWithASentenceAndItsRecord) {
    int ended = 0;
    bool failed = true;
    for (long i = 0; failed && i < 200; ++i) {
        TrainerConfig config = paused_config();
        config.micro_batch = 20;  // and a short batch of 16, whose kernels are made as it comes
        config.epochs = 2;
        const auto trainer = make_trainer(config);
        EXPECT_TRUE(wait_until([&] { return trainer->parameters().has_value(); }));
        {
            const ExhaustedHeap heap(i);
            trainer->send(Resume{});
            trainer->wait();
            failed = heap.failed();
        }
        const TrainerStatus status = trainer->status();
        ASSERT_TRUE(status.done()) << i;
        EXPECT_EQ(static_cast<std::int64_t>(trainer->telemetry()->steps()), status.step);
        if (status.state == TrainerState::failed) {
            EXPECT_THAT(status.error, HasSubstr("ran out of memory")) << i;
            ++ended;
        }
    }
    EXPECT_GT(ended, 5);
}

}  // namespace
}  // namespace trainscope
