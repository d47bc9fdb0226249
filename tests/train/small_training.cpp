// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/train/small_training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "engine/core/random.h"

namespace trainscope::testing {

namespace {

SplitData bands(std::int64_t count, Random random) {
    SplitData split;
    split.count = count;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto label = static_cast<std::int32_t>(random.below(4));
        split.labels.push_back(label);
        for (int row = 0; row < 8; ++row) {
            for (int column = 0; column < 8; ++column) {
                const std::uint64_t noise = random.below(120);
                split.pixels.push_back(
                    static_cast<std::uint8_t>(noise + (row / 2 == label ? 120u : 0u)));
            }
        }
    }
    return split;
}

template <class T>
T required(Result<T> result) {
    if (!result) {
        throw std::runtime_error(result.error().message);
    }
    return std::move(*result);
}

}  // namespace

std::shared_ptr<Dataset> banded_images(std::int64_t train, std::int64_t test, std::uint64_t seed) {
    auto dataset = std::make_shared<Dataset>();
    dataset->name = "bands";
    dataset->sample = {1, 8, 8};
    dataset->classes = 4;
    dataset->class_names = {"a", "b", "c", "d"};
    dataset->train = bands(train, Random(seed, 0));
    dataset->test = bands(test, Random(seed, 1));
    return dataset;
}

ModelSpec small_cnn() {
    return {.name = "small-cnn",
            .description = {},
            .layers = {Conv2dSpec{.filters = 4, .same_padding = true}, ReluSpec{}, MaxPoolSpec{},
                       FlattenSpec{}, DenseSpec{}, SoftmaxCrossEntropySpec{}},
            .optimizer = {}};
}

ModelSpec small_bn_cnn() {
    return {.name = "small-bn-cnn",
            .description = {},
            .layers = {Conv2dSpec{.filters = 4, .same_padding = true, .bias = false},
                       BatchNormSpec{}, ReluSpec{}, MaxPoolSpec{}, FlattenSpec{}, DenseSpec{},
                       SoftmaxCrossEntropySpec{}},
            .optimizer = {}};
}

ModelSpec dense_bn() {
    return {.name = "dense-bn",
            .description = {},
            .layers = {FlattenSpec{}, DenseSpec{.units = 6}, BatchNormSpec{}, ReluSpec{},
                       DenseSpec{}, SoftmaxCrossEntropySpec{}},
            .optimizer = {}};
}

ModelSpec small_mlp() {
    return {.name = "small-mlp",
            .description = {},
            .layers = {FlattenSpec{}, DenseSpec{.units = 12}, ReluSpec{},
                       DenseSpec{.units = 9, .bias = false}, ReluSpec{}, DenseSpec{},
                       SoftmaxCrossEntropySpec{}},
            .optimizer = {}};
}

TrainerConfig small_config(ModelSpec model, std::int64_t micro_batch) {
    TrainerConfig config;
    config.model = std::move(model);
    config.device = required(find_device("cpu"));
    config.threads = 1;
    config.micro_batch = micro_batch;
    return config;
}

std::unique_ptr<Training> make_training(const TrainerConfig& config,
                                        std::shared_ptr<const Dataset> dataset) {
    return required(Training::create(config, std::move(dataset)));
}

std::unique_ptr<Trainer> make_trainer(const TrainerConfig& config,
                                      std::shared_ptr<const Dataset> dataset) {
    return required(Trainer::create(config, std::move(dataset)));
}

void run_steps(Training& training, int count) {
    for (int i = 0; i < count; ++i) {
        ASSERT_TRUE(training.step([] { return false; }));
    }
}

std::vector<double> column(const Telemetry& telemetry, Metric metric) {
    std::vector<double> values;
    for (std::size_t i = 0; i < telemetry.steps(); ++i) {
        values.push_back(telemetry.at(metric, i));
    }
    return values;
}

CommandAnswer ask(Trainer& trainer, CommandBody command) {
    const CommandId id = trainer.send(std::move(command));
    CommandAnswer answer;
    const bool answered = wait_until([&] {
        for (const CommandAnswer& one : trainer.take_answers()) {
            if (one.id == id) {
                answer = one;
                return true;
            }
        }
        return false;
    });
    EXPECT_TRUE(answered) << "no answer to command " << id;
    return answer;
}

bool wait_until(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return true;
}

}  // namespace trainscope::testing
