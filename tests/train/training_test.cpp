// SPDX-License-Identifier: GPL-3.0-or-later
// What a training computes: accumulation, epochs, evaluation, determinism, memory.
#include "engine/train/training.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/train/small_training.h"

namespace trainscope {
namespace {

using namespace testing;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;

const auto never = [] { return false; };

void expect_near(const Parameters& a, const Parameters& b, float tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (const auto& [name, values] : a) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            ASSERT_NEAR(values[i], b.at(name)[i], tolerance) << name << " at " << i;
        }
    }
}

TEST(Training, AccumulatedMicroBatchesEqualTheLargeBatch) {
    TrainerConfig config = small_config(small_cnn(), 8);
    config.accumulation = 4;
    const auto accumulated = make_training(config);
    const auto large = make_training(small_config(small_cnn(), 32));
    run_steps(*accumulated, 9);  // three epochs
    run_steps(*large, 9);
    const std::vector<double> losses = column(*large->telemetry(), Metric::loss);
    const std::vector<double> found = column(*accumulated->telemetry(), Metric::loss);
    for (std::size_t i = 0; i < losses.size(); ++i) {
        EXPECT_NEAR(found[i], losses[i], 2e-5 * losses[i]) << "step " << i + 1;
    }
    expect_near(accumulated->parameters(), large->parameters(), 1e-5F);
    EXPECT_EQ(accumulated->position(), large->position());
}

TEST(Training, AModelMayBeginWithBatchNorm) {
    ModelSpec model = small_cnn();
    model.layers.insert(model.layers.begin(), {BatchNormSpec{}, ReluSpec{}});
    std::vector<std::unique_ptr<Training>> by;
    for (const char* const fused : {"separate", "fused_relu"}) {
        TrainerConfig config = small_config(model);
        config.variants.set("batch_norm_relu", fused);
        by.push_back(make_training(config));
        const Parameters before = by.back()->parameters();
        run_steps(*by.back(), 4);
        EXPECT_NE(by.back()->parameters().at("bn1.gamma"), before.at("bn1.gamma")) << fused;
    }
    EXPECT_THAT(column(*by[1]->telemetry(), Metric::loss),
                Pointwise(DoubleNear(1e-5), column(*by[0]->telemetry(), Metric::loss)));
}

TEST(Training, AShortLastWindowIsWeightedByItsOwnSamples) {
    TrainerConfig config = small_config(small_cnn(), 8);
    config.accumulation = 4;
    const auto accumulated = make_training(config, banded_images(52, 0));  // 32, then 8 + 8 + 4
    const auto large = make_training(small_config(small_cnn(), 32), banded_images(52, 0));
    run_steps(*accumulated, 4);
    run_steps(*large, 4);
    EXPECT_THAT(column(*accumulated->telemetry(), Metric::batch_samples),
                ElementsAre(32, 20, 32, 20));
    EXPECT_THAT(column(*accumulated->telemetry(), Metric::epoch),
                ElementsAre(32.0 / 52, 1, 84.0 / 52, 2));
    expect_near(accumulated->parameters(), large->parameters(), 1e-5F);
}

// Sample i is 1 at place i and 0 elsewhere: what a dense layer without hidden units learns at place
// i says how often it saw sample i.
std::shared_ptr<Dataset> marked_samples() {
    auto dataset = std::make_shared<Dataset>();
    dataset->name = "marked";
    dataset->sample = {1, 8, 12};
    dataset->classes = 2;
    dataset->class_names = {"a", "b"};
    for (SplitData* const split : {&dataset->train, &dataset->test}) {
        split->count = 96;
        split->labels.assign(96, 0);
        split->values.assign(96 * 96, 0.0F);
        for (std::size_t i = 0; i < 96; ++i) {
            split->values[i * 96 + i] = 1.0F;
        }
    }
    return dataset;
}

class CountedTraining {
  public:
    CountedTraining() {
        TrainerConfig config =
            small_config({.name = "linear",
                          .description = {},
                          .layers = {FlattenSpec{}, DenseSpec{.units = {}, .bias = false},
                                     SoftmaxCrossEntropySpec{}},
                          .optimizer = {}});
        config.optimizer = {.kind = OptimizerKind::sgd, .learning_rate = 0.01F};
        training = make_training(config, marked_samples());
        EXPECT_TRUE(training->set_parameters({{"fc1.weight", std::vector<float>(2 * 96)}}));
    }
    void step(int count = 1) {
        for (int i = 0; i < count; ++i) {
            const std::vector<float> before = training->parameters().at("fc1.weight");
            run_steps(*training, 1);
            const std::vector<float> after = training->parameters().at("fc1.weight");
            const auto& telemetry = *training->telemetry();
            const double n = telemetry.at(Metric::batch_samples, telemetry.steps() - 1);
            for (std::size_t s = 0; s < 96; ++s) {
                // Both classes are about as likely, so that one look moves the weight by lr/2/N.
                const double looks = (after[s] - before[s]) * n / (0.01 * 0.5);
                EXPECT_NEAR(looks, std::round(looks), 0.05);
                seen[s] += static_cast<int>(std::lround(looks));
            }
        }
    }
    std::unique_ptr<Training> training;
    std::vector<int> seen = std::vector<int>(96);
};

TEST(Training, EachSampleIsSeenOnceThoughTheBatchSizeChangesInMidEpoch) {
    CountedTraining counted;
    Training& training = *counted.training;
    counted.step(2);  // 32 samples
    ASSERT_TRUE(training.set(SetMicroBatch{7}));
    counted.step(3);  // 53
    EXPECT_FALSE(training.set(SetMicroBatch{97}));
    ASSERT_TRUE(training.set(SetMicroBatch{10}));
    ASSERT_TRUE(training.set(SetAccumulation{2}));
    counted.step();  // 73
    ASSERT_TRUE(training.evaluate(never));
    ASSERT_TRUE(training.set(SetMicroBatch{5}));
    ASSERT_TRUE(training.set(SetAccumulation{4}));
    EXPECT_EQ(training.position(), (SamplePosition{0, 73}));
    counted.step(2);  // 93, 96
    EXPECT_EQ(training.position(), (SamplePosition{1, 0}));
    EXPECT_THAT(counted.seen, ::testing::Each(1));
    counted.step(5);  // 20 samples a step, then 16
    EXPECT_THAT(counted.seen, ::testing::Each(2));
    EXPECT_EQ(training.samples(), 2 * 96);
}

TEST(Training, TheSameSeedOnOneThreadGivesTheSameLogToTheBit) {
    const auto run = [](std::uint64_t seed) {
        TrainerConfig config = small_config(small_bn_cnn(), 20);
        config.seed = seed;
        auto training = make_training(config);
        run_steps(*training, 12);
        EXPECT_TRUE(training->set(SetMicroBatch{12}));
        run_steps(*training, 12);
        return training;
    };
    const auto first = run(3);
    const auto second = run(3);
    for (const MetricInfo& metric : metric_table()) {
        if (!metric.is_time) {
            EXPECT_EQ(column(*first->telemetry(), metric.metric),
                      column(*second->telemetry(), metric.metric))
                << metric.name;
        }
    }
    EXPECT_EQ(first->parameters(), second->parameters());
    EXPECT_NE(run(4)->parameters(), first->parameters());
}

// The test split through dense_bn, in double.
EvaluationSample direct_evaluation(const Parameters& p, const Dataset& dataset) {
    const float eps = BatchNormSpec{}.eps;
    EvaluationSample sums;
    for (std::int64_t s = 0; s < dataset.test.count; ++s) {
        std::vector<double> hidden(6);
        for (std::size_t h = 0; h < 6; ++h) {
            double sum = p.at("fc1.bias")[h];
            for (std::size_t i = 0; i < 64; ++i) {
                const double pixel = dataset.test.pixels[static_cast<std::size_t>(s) * 64 + i];
                sum += p.at("fc1.weight")[h * 64 + i] * ((pixel / 255 - 0.5) / 0.5);
            }
            const double xhat =
                (sum - p.at("bn1.running_mean")[h]) / std::sqrt(p.at("bn1.running_var")[h] + eps);
            hidden[h] = std::max(0.0, p.at("bn1.gamma")[h] * xhat + p.at("bn1.beta")[h]);
        }
        std::vector<double> logits(4);
        double sum_exp = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            logits[k] = p.at("fc2.bias")[k];
            for (std::size_t h = 0; h < 6; ++h) {
                logits[k] += p.at("fc2.weight")[k * 6 + h] * hidden[h];
            }
            sum_exp += std::exp(logits[k]);
        }
        const auto label =
            static_cast<std::size_t>(dataset.test.labels[static_cast<std::size_t>(s)]);
        sums.loss += std::log(sum_exp) - logits[label];
        sums.accuracy += std::max_element(logits.begin(), logits.end()) - logits.begin() ==
                                 static_cast<std::ptrdiff_t>(label)
                             ? 1
                             : 0;
    }
    sums.loss /= static_cast<double>(dataset.test.count);
    sums.accuracy /= static_cast<double>(dataset.test.count);
    return sums;
}

TEST(Training, AnEvaluationGivesLossAndAccuracyOfTheTestSplitAndChangesNothing) {
    const auto dataset = banded_images(96, 41);  // 16 + 16 + 9
    const auto training = make_training(small_config(dense_bn()), dataset);
    run_steps(*training, 8);
    const Parameters before = training->parameters();
    const double active = training->active_seconds();
    ASSERT_TRUE(training->evaluate(never));
    EXPECT_EQ(training->parameters(), before);
    EXPECT_EQ(training->active_seconds(), active);
    ASSERT_EQ(training->telemetry()->evaluations().size(), 1u);
    const EvaluationSample found = training->telemetry()->evaluations()[0];
    const EvaluationSample expected = direct_evaluation(before, *dataset);
    EXPECT_NEAR(found.loss, expected.loss, 1e-5 * expected.loss);
    EXPECT_DOUBLE_EQ(found.accuracy, expected.accuracy);
    EXPECT_EQ(found.step, 8);
    EXPECT_EQ(found.samples, 128);

    const auto other = make_training(small_config(dense_bn()), dataset);
    run_steps(*other, 12);
    run_steps(*training, 4);
    EXPECT_EQ(training->parameters(), other->parameters());
}

TEST(Training, AnInterruptedEvaluationRecordsNothing) {
    const auto training = make_training(small_config());
    int batches = 0;
    EXPECT_FALSE(training->evaluate([&] { return ++batches > 1; }));
    EXPECT_EQ(training->telemetry()->evaluations().size(), 0u);
    run_steps(*training, 1);
}

TEST(Training, EvaluationsAreDueAtTheEndOfAnEpochOrEveryFewSteps) {
    const auto training = make_training(small_config());  // 6 steps an epoch
    std::vector<int> due;
    for (int step = 1; step <= 12; ++step) {
        run_steps(*training, 1);
        if (training->evaluation_due()) {
            due.push_back(step);
        }
    }
    EXPECT_THAT(due, ElementsAre(6, 12));
    ASSERT_TRUE(training->set(SetEvaluationInterval{5}));
    run_steps(*training, 3);
    EXPECT_TRUE(training->evaluation_due());
    run_steps(*training, 3);
    EXPECT_FALSE(training->evaluation_due());
    const auto without = make_training(small_config(), banded_images(16, 0));
    run_steps(*without, 1);
    EXPECT_FALSE(without->evaluation_due());
}

TEST(Training, ARunThatEndsWithinAnEpochIsEvaluatedAfterItsLastStep) {
    TrainerConfig config = small_config();  // 6 steps an epoch
    config.max_steps = 2;
    for (const std::int64_t interval : {0, 5}) {
        config.evaluation_interval = interval;
        const auto training = make_training(config);
        run_steps(*training, 1);
        EXPECT_FALSE(training->evaluation_due());
        run_steps(*training, 1);
        EXPECT_TRUE(training->evaluation_due());
    }
}

TEST(Training, ALossThatIsNoNumberIsAnnotatedOnceAndTrainingGoesOn) {
    TrainerConfig config = small_config();
    config.optimizer.learning_rate = 1e30F;
    const auto training = make_training(config);
    run_steps(*training, 8);
    EXPECT_EQ(training->steps(), 8);
    ASSERT_EQ(training->telemetry()->annotation_count(), 1u);
    EXPECT_THAT(training->telemetry()->annotations()[0].text(), HasSubstr("loss became"));
}

TEST(Training, StepsAreMadeOfTheirPhasesAndTimeIsOnlyCountedWhileTraining) {
    const auto training = make_training(small_config());
    run_steps(*training, 5);
    const Telemetry& log = *training->telemetry();
    double sum = 0;
    for (std::size_t i = 0; i < log.steps(); ++i) {
        const double seconds =
            log.at(Metric::batch_samples, i) / log.at(Metric::samples_per_second, i);
        const double phases = log.at(Metric::data_seconds, i) + log.at(Metric::forward_seconds, i) +
                              log.at(Metric::backward_seconds, i) +
                              log.at(Metric::optimizer_seconds, i);
        EXPECT_LE(phases, seconds * (1 + 1e-9));
        sum += seconds;
        EXPECT_NEAR(log.at(Metric::active_seconds, i), sum, 1e-9 * sum);
    }
    EXPECT_THAT(column(log, Metric::step), ElementsAre(1, 2, 3, 4, 5));
}

}  // namespace
}  // namespace trainscope
