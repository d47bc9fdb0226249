// SPDX-License-Identifier: GPL-3.0-or-later
// The trainer as others use it: on its own thread, through commands, status and telemetry.
#include "engine/train/trainer.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <functional>
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

TEST(Trainer, RefusesEveryKnobThatIsOutOfRangeAndGoesOnUntouched) {
    const auto trainer = make_trainer(small_config());
    const struct {
        CommandBody command;
        const char* says;
    } cases[] = {{SetMicroBatch{0}, "at least 1 sample, not 0"},
                 {SetMicroBatch{-3}, "at least 1 sample, not -3"},
                 {SetMicroBatch{97}, "larger than the 96 training samples of data set bands"},
                 {SetAccumulation{0}, "at least 1 micro-batch, not 0"},
                 {SetAccumulation{1'000'001}, "at most 1,000,000 micro-batches"},
                 {SetLearningRate{std::nan("")}, "number above 0"},
                 {SetLearningRate{0}, "number above 0"},
                 {SetLearningRate{-0.1}, "not -0.1"},
                 {SetLearningRate{1e39}, "not 1e+39"},
                 {SetOptimizer{OptimizerKind::adam, -1.0}, "not -1"},
                 {SetVariant{"conv2d", "direkt"}, "did you mean 'direct'"},
                 {SetVariant{"conv9d", "direct"}, "no operator 'conv9d'"},
                 {SetMemoryBudget{10}, "below the"},
                 {SetEvaluationInterval{-1}, "not -1"}};
    std::size_t refused = 0;
    for (const auto& one : cases) {
        const std::uint64_t revision = trainer->status().revision;
        const CommandAnswer answer = ask(*trainer, one.command);
        EXPECT_FALSE(answer.applied);
        EXPECT_THAT(answer.reason, HasSubstr(one.says));
        EXPECT_GT(trainer->status().revision, revision);
        ASSERT_EQ(trainer->telemetry()->annotation_count(), ++refused);
        const Annotation annotation = trainer->telemetry()->annotations().back();
        EXPECT_TRUE(annotation.refused);
        EXPECT_EQ(annotation.reason, answer.reason);
    }
    const TrainerStatus status = trainer->status();
    EXPECT_EQ(status.micro_batch, 16);
    EXPECT_EQ(status.accumulation, 1);
    EXPECT_EQ(status.optimizer.learning_rate, 0.05F);
    EXPECT_EQ(status.optimizer.kind, OptimizerKind::momentum);
    EXPECT_TRUE(wait_until([&] { return trainer->status().step > status.step; }));
}

TEST(Trainer, AppliesEveryKnobWhileRunningAndAnnotatesIt) {
    const auto trainer = make_trainer(small_config());
    const struct {
        CommandBody command;
        const char* annotation;
    } cases[] = {
        {SetMicroBatch{24}, "micro_batch 16 -> 24"},
        {SetAccumulation{3}, "accumulation 1 -> 3"},
        {SetLearningRate{0.1}, "learning_rate 0.05 -> 0.1"},
        {SetOptimizer{OptimizerKind::adam, {}}, "optimizer momentum -> adam"},
        {SetVariant{"conv_relu_pool", "separate"}, "conv_relu_pool variant auto -> separate"},
        {SetMemoryBudget{64 << 20}, "memory_budget none -> 64.0 MiB"},
        {SetEvaluationInterval{50}, "evaluation_interval each epoch -> every 50 steps"}};
    std::size_t applied = 0;
    for (const auto& one : cases) {
        const CommandAnswer answer = ask(*trainer, one.command);
        EXPECT_TRUE(answer.applied) << answer.reason;
        ASSERT_EQ(trainer->telemetry()->annotation_count(), ++applied);
        EXPECT_EQ(trainer->telemetry()->annotations().back().text(), one.annotation);
    }
    const TrainerStatus status = trainer->status();
    EXPECT_EQ(status.micro_batch, 24);
    EXPECT_EQ(status.accumulation, 3);
    EXPECT_EQ(status.optimizer.learning_rate, 0.1F);
    EXPECT_EQ(status.optimizer.kind, OptimizerKind::adam);
    EXPECT_EQ(status.variants.of("conv_relu_pool"), "separate");
    EXPECT_EQ(status.memory_budget, 64 << 20);
    EXPECT_EQ(status.memory.total(), status.memory_peak);
    EXPECT_TRUE(wait_until([&] { return trainer->status().step > status.step + 3; }));
}

TEST(Trainer, RefusesToStartWhatCannotTrain) {
    const auto says = [](const std::function<void(TrainerConfig&)>& change,
                         std::shared_ptr<const Dataset> dataset = banded_images()) {
        TrainerConfig config = small_config();
        change(config);
        const auto trainer = Trainer::create(config, std::move(dataset));
        return trainer ? std::string("started") : trainer.error().message;
    };
    EXPECT_EQ(says([](TrainerConfig&) {}), "started");
    EXPECT_THAT(says([](TrainerConfig& c) { c.micro_batch = 0; }), HasSubstr("not 0"));
    EXPECT_THAT(says([](TrainerConfig& c) { c.micro_batch = 100; }), HasSubstr("larger than"));
    EXPECT_THAT(says([](TrainerConfig& c) { c.accumulation = 0; }), HasSubstr("accumulation"));
    EXPECT_THAT(says([](TrainerConfig& c) { c.optimizer.learning_rate = std::nanf(""); }),
                HasSubstr("learning rate"));
    EXPECT_THAT(says([](TrainerConfig& c) { c.epochs = -1; }), HasSubstr("epochs"));
    EXPECT_THAT(says([](TrainerConfig& c) { c.threads = 65'536; }), HasSubstr("at most 1024"));
    EXPECT_THAT(says([](TrainerConfig& c) { c.variants.set("dense", "x"); }),
                HasSubstr("dense has no variant 'x'"));
    EXPECT_THAT(says([](TrainerConfig& c) { c.memory_budget = 5000; }), HasSubstr("budget"));
    EXPECT_THAT(says([](TrainerConfig& c) { c.model.layers.pop_back(); }), HasSubstr("last layer"));
    EXPECT_THAT(says([](TrainerConfig&) {}, banded_images(0, 10)),
                HasSubstr("no training samples"));
    const auto batch_norm = [](TrainerConfig& c) { c.model = dense_bn(); };
    EXPECT_EQ(says(batch_norm), "started");
    EXPECT_THAT(says(batch_norm, banded_images(97, 0)), HasSubstr("short last batch of 1 sample"));
    EXPECT_THAT(says([](TrainerConfig& c) {
                    c.model = dense_bn();
                    c.micro_batch = 1;
                }),
                HasSubstr("more than one value a channel"));
}

TEST(Trainer, RefusesAMicroBatchThatLeavesBatchNormOneValue) {
    const auto trainer = make_trainer(small_config(dense_bn()));
    EXPECT_THAT(ask(*trainer, SetMicroBatch{19}).reason, HasSubstr("short last batch of 1 sample"));
    EXPECT_TRUE(ask(*trainer, Pause{}).applied);
}

TEST(Trainer, EvaluatesWhenAskedAlsoWhilePaused) {
    TrainerConfig config = small_config();
    config.start_paused = true;
    const auto trainer = make_trainer(config);
    EXPECT_TRUE(ask(*trainer, EvaluateNow{}).applied);
    EXPECT_EQ(trainer->telemetry()->evaluations().size(), 1u);
    EXPECT_EQ(trainer->status().state, TrainerState::paused);
    EXPECT_EQ(trainer->status().step, 0);
    const auto without = make_trainer(small_config(), banded_images(96, 0));
    EXPECT_THAT(ask(*without, EvaluateNow{}).reason, HasSubstr("no test split"));
}

TEST(Trainer, StopEndsAnEvaluationThatRuns) {
    TrainerConfig config = small_config(small_cnn(), 1);
    config.start_paused = true;
    const auto trainer = make_trainer(config, banded_images(96, 100000));
    const CommandId id = trainer->send(EvaluateNow{});
    trainer->send(Stop{});
    ASSERT_TRUE(reaches(*trainer, TrainerState::stopped));
    EXPECT_EQ(trainer->telemetry()->evaluations().size(), 0u);
    const std::vector<CommandAnswer> answers = trainer->take_answers();
    ASSERT_EQ(answers.size(), 2u);
    EXPECT_EQ(answers[0].id, id);
    EXPECT_THAT(answers[0].reason, HasSubstr("stopped during the evaluation"));
    EXPECT_TRUE(answers[1].applied);
}

TEST(Trainer, RefusesEveryCommandAfterTheEnd) {
    TrainerConfig config = small_config();
    config.max_steps = 3;
    const auto trainer = make_trainer(config);
    trainer->wait();
    EXPECT_EQ(trainer->status().state, TrainerState::finished);
    EXPECT_EQ(trainer->status().step, 3);
    for (const CommandBody& body :
         {CommandBody(Pause{}), CommandBody(Resume{}), CommandBody(SingleStep{}),
          CommandBody(Stop{}), CommandBody(SetMicroBatch{8}), CommandBody(SetAccumulation{2}),
          CommandBody(SetLearningRate{0.1}), CommandBody(SetOptimizer{}), CommandBody(SetVariant{}),
          CommandBody(SetMemoryBudget{}), CommandBody(EvaluateNow{}),
          CommandBody(SetEvaluationInterval{})}) {
        const CommandAnswer answer = ask(*trainer, body);
        EXPECT_FALSE(answer.applied);
        EXPECT_THAT(answer.reason, HasSubstr("has ended"));
        EXPECT_EQ(answer.step, 3);
    }
    EXPECT_EQ(trainer->status().step, 3);
}

TEST(Trainer, GivesAndTakesParametersOnlyWhileItRests) {
    const auto trainer = make_trainer(small_config(small_bn_cnn()));
    ASSERT_TRUE(wait_until([&] { return trainer->status().step > 3; }));
    EXPECT_FALSE(trainer->parameters());
    EXPECT_FALSE(trainer->set_parameters({}));
    ask(*trainer, Pause{});
    auto parameters = trainer->parameters();
    ASSERT_TRUE(parameters);
    EXPECT_EQ(parameters->size(), 7u);  // a weight, batch norm's four, a weight and a bias
    (*parameters)["fc1.bias"] = {1, 2, 3, 4};
    EXPECT_TRUE(trainer->set_parameters(*parameters));
    EXPECT_EQ(*trainer->parameters(), *parameters);
    EXPECT_THAT(trainer->set_parameters({{"fc9.bias", {}}}).error().message,
                HasSubstr("no parameter 'fc9.bias'"));
    const auto wrong =
        trainer->set_parameters({{"bn1.gamma", {9, 9, 9, 9}}, {"fc1.bias", {1, 2, 3}}});
    EXPECT_THAT(wrong.error().message, HasSubstr("has 4 values, not 3"));
    EXPECT_EQ(*trainer->parameters(), *parameters);
}

TEST(Trainer, ClosesInTheMiddleOfTrainingTwoHundredTimes) {
    const auto dataset = banded_images();
    for (int i = 0; i < 200; ++i) {
        TrainerConfig config = small_config();
        config.accumulation = i % 3 == 0 ? 1000000 : 1;
        config.start_paused = i % 7 == 0;
        const auto trainer = make_trainer(config, dataset);
        trainer->send(SetMicroBatch{8});
        trainer->send(EvaluateNow{});
        if (i % 2 == 0) {
            EXPECT_TRUE(wait_until(
                [&] { return i % 3 == 0 || i % 7 == 0 || trainer->status().step > i % 5; }));
        }
    }
    EXPECT_EQ(dataset.use_count(), 1) << "a trainer that has closed still holds the data set";
}

TEST(Trainer, ManyThreadsMayAskAndLookAtOnce) {
    const auto trainer = make_trainer(small_config());
    std::vector<std::jthread> threads;
    threads.reserve(3);
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 20; ++i) {
                trainer->send(SetMicroBatch{8 + t + i});
                trainer->send(i % 2 == 0 ? CommandBody(Pause{}) : CommandBody(Resume{}));
                const TrainerStatus status = trainer->status();
                EXPECT_EQ(status.samples % 96, status.epoch_offset);
                EXPECT_EQ(status.samples / 96, status.epoch);
                const std::size_t steps = trainer->telemetry()->steps();
                if (steps > 0) {
                    EXPECT_EQ(trainer->telemetry()->at(Metric::step, steps - 1),
                              static_cast<double>(steps));
                }
                static_cast<void>(trainer->parameters());
            }
        });
    }
    threads.clear();
    trainer->send(Stop{});
    ASSERT_TRUE(reaches(*trainer, TrainerState::stopped));
    EXPECT_EQ(trainer->take_answers().size(), 121u);
}

}  // namespace
}  // namespace trainscope
