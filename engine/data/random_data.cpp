// SPDX-License-Identifier: GPL-3.0-or-later
// Random inputs and labels of any shape, to measure speed and memory: there is nothing to learn.
#include <algorithm>

#include "engine/core/format.h"
#include "engine/core/random.h"
#include "engine/data/limits.h"
#include "engine/data/readers.h"

namespace trainscope {

namespace {

constexpr std::int64_t default_train = 4096;
constexpr std::int64_t default_test = 512;

Result<void> fill(SplitData& split, const DatasetOptions& options, const Shape& sample,
                  std::uint64_t stream) {
    const auto elements = static_cast<std::size_t>(sample.elements());
    const auto classes = static_cast<std::size_t>(options.classes);
    split.values.resize(static_cast<std::size_t>(split.count) * elements);
    if (options.soft_labels) {
        split.targets.resize(static_cast<std::size_t>(split.count) * classes);
    } else {
        split.labels.resize(static_cast<std::size_t>(split.count));
    }
    Random random(options.seed, stream);
    for (std::size_t i = 0; i < static_cast<std::size_t>(split.count); ++i) {
        if (options.stop.stop_requested()) {
            return opening_cancelled();
        }
        for (std::size_t e = 0; e < elements; ++e) {
            split.values[i * elements + e] = static_cast<float>(random.normal());
        }
        if (options.soft_labels) {
            for (std::size_t c = 0; c < classes; ++c) {
                split.targets[i * classes + c] = static_cast<float>(random.uniform());
            }
        } else {
            split.labels[i] =
                static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(classes)));
        }
    }
    return {};
}

}  // namespace

DatasetShape random_shape(const DatasetOptions& options) {
    return {options.sample.rank() == 0 ? Shape{3, 32, 32} : options.sample, options.classes,
            options.soft_labels};
}

OpenedDataset make_random(const DatasetOptions& options) {
    const Shape sample = random_shape(options).sample;
    const std::int64_t elements = checked_elements(sample.dims());
    if (sample.rank() != 3 || elements < 1) {
        return make_error(
            ErrorCode::invalid_argument,
            "The random data set needs a sample of channels x height x width, each at "
            "least 1, not {}.",
            sample.to_string());
    }
    if (options.classes < 2 || options.classes > most_random_classes) {
        return make_error(ErrorCode::invalid_argument,
                          "The random data set needs 2 to {} classes, not {}.", most_random_classes,
                          options.classes);
    }
    auto dataset = std::make_shared<Dataset>();
    dataset->source = fmt::format("normal inputs, uniform {} labels, seed {}",
                                  options.soft_labels ? "soft" : "hard", options.seed);
    dataset->sample = sample;
    dataset->classes = options.classes;
    for (std::int64_t c = 0; c < options.classes; ++c) {
        dataset->class_names.push_back(std::to_string(c));
    }
    dataset->train.count = options.train_count > 0 ? options.train_count : default_train;
    dataset->test.count = options.test_count > 0 ? options.test_count : default_test;
    const std::int64_t numbers = elements + (options.soft_labels ? options.classes : 1);
    constexpr auto number_bytes = static_cast<std::int64_t>(sizeof(float));
    const std::int64_t largest = largest_split_bytes / number_bytes / numbers;
    std::int64_t bytes = 0;
    for (const SplitData* split : {&dataset->train, &dataset->test}) {
        if (split->count > std::min(largest, largest_sample_count)) {
            return make_error(ErrorCode::out_of_memory,
                              "{} random samples of {} are more than the {} a data set may have.",
                              format_count(split->count), sample.to_string(),
                              format_bytes(largest_split_bytes));
        }
        bytes += split->count * numbers * number_bytes;
    }
    if (Result<void> fits = expect_memory(bytes, "The random data set"); !fits) {
        return make_error(std::move(fits.error()));
    }
    for (const Split which : {Split::train, Split::test}) {
        SplitData& split = which == Split::train ? dataset->train : dataset->test;
        if (Result<void> filled = fill(split, options, sample, static_cast<std::uint64_t>(which));
            !filled) {
            return make_error(std::move(filled.error()));
        }
    }
    return dataset;
}

}  // namespace trainscope
