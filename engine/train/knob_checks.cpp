// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/knob_checks.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/core/format.h"
#include "engine/model/node_shapes.h"
#include "engine/ops/kernel_variant.h"
#include "engine/train/limits.h"

namespace trainscope {

Result<void> check_micro_batch(std::int64_t micro_batch, const Dataset& dataset) {
    if (micro_batch < 1) {
        return make_error(ErrorCode::invalid_argument,
                          "The micro-batch must be at least 1 sample, not {}.", micro_batch);
    }
    if (micro_batch > dataset.train.count) {
        return make_error(
            ErrorCode::invalid_argument,
            "A micro-batch of {} is larger than the {} training samples of data set {}.",
            micro_batch, dataset.train.count, dataset.name);
    }
    return {};
}

Result<void> check_accumulation(std::int64_t steps) {
    if (steps < 1) {
        return make_error(ErrorCode::invalid_argument,
                          "The accumulation must be at least 1 micro-batch, not {}.", steps);
    }
    if (steps > largest_accumulation) {
        return make_error(ErrorCode::invalid_argument,
                          "The accumulation must be at most {} micro-batches, not {}.",
                          format_count(largest_accumulation), format_count(steps));
    }
    return {};
}

Result<void> check_learning_rate(double value) {
    const auto stored = static_cast<float>(value);
    if (!std::isfinite(stored) || !(stored > 0)) {
        return make_error(ErrorCode::invalid_argument,
                          "The learning rate must be a number above 0 that a float32 can hold, "
                          "not {}.",
                          value);
    }
    return {};
}

Result<void> check_evaluation_interval(std::int64_t steps) {
    if (steps < 0) {
        return make_error(ErrorCode::invalid_argument,
                          "The evaluation interval must be 0 (each epoch) or more steps, not {}.",
                          steps);
    }
    return {};
}

Result<void> check_config(const TrainerConfig& config, const Dataset& dataset) {
    if (dataset.train.count < 1) {
        return make_error(ErrorCode::invalid_argument, "Data set {} has no training samples.",
                          dataset.name);
    }
    const std::pair<const char*, std::int64_t> limits[] = {{"number of epochs", config.epochs},
                                                           {"number of steps", config.max_steps},
                                                           {"number of threads", config.threads}};
    for (const auto& [name, value] : limits) {
        if (value < 0) {
            return make_error(ErrorCode::invalid_argument, "The {} must be 0 or more, not {}.",
                              name, value);
        }
    }
    if (Result<void> checked = check_evaluation_interval(config.evaluation_interval); !checked) {
        return checked;
    }
    if (config.threads > most_threads) {
        return make_error(ErrorCode::invalid_argument,
                          "The number of threads must be at most {}, not {}.", most_threads,
                          config.threads);
    }
    for (const auto& [op, variant] : config.variants.names()) {
        if (Result<void> checked = check_variant(config.device.kind, op, variant); !checked) {
            return checked;
        }
    }
    return check_micro_batch(config.micro_batch, dataset)
        .and_then([&] { return check_accumulation(config.accumulation); })
        .and_then([&] {
            return check_learning_rate(static_cast<double>(config.optimizer.learning_rate));
        });
}

BatchSizes batch_sizes(std::int64_t micro_batch, const Dataset& dataset, SamplePosition from) {
    BatchSizes sizes;
    const auto add_rest = [&](std::vector<std::int64_t>& list, std::int64_t samples) {
        const std::int64_t rest = samples % micro_batch;
        if (rest > 0 && std::find(list.begin(), list.end(), rest) == list.end()) {
            list.push_back(rest);
        }
    };
    sizes.training = {micro_batch};
    add_rest(sizes.training, dataset.train.count - from.offset);
    add_rest(sizes.training, dataset.train.count);
    sizes.all = sizes.training;
    add_rest(sizes.all, dataset.test.count);
    return sizes;
}

Result<void> check_batch_norm(const Graph& graph, const BatchSizes& sizes) {
    for (const Node& node : graph.nodes) {
        if (!std::holds_alternative<BatchNormSpec>(node.spec)) {
            continue;
        }
        for (const std::int64_t n : sizes.training) {
            if (batch_norm_shape(node, n).values_per_channel() > 1) {
                continue;
            }
            const bool is_short = n != sizes.training.front();
            return make_error(
                ErrorCode::invalid_argument,
                "Batch norm {} needs more than one value a channel, but a {} of {} "
                "sample{} gives it one.",
                node.name, is_short ? "short last batch" : "micro-batch", n,
                is_short ? fmt::format(" (with a micro-batch of {})", sizes.training.front()) : "");
        }
    }
    return {};
}

Result<void> check_budget(const Graph& graph, const PlanSettings& settings, const MemoryPlan& plan,
                          std::optional<std::int64_t> budget, const DeviceInfo& device) {
    const std::int64_t limit = budget.value_or(device.memory_bytes);
    const std::int64_t needed = plan.usage.total();
    if ((!budget && limit <= 0) || needed <= limit) {
        return {};
    }
    const std::int64_t fitting =
        largest_micro_batch(graph, settings, limit, settings.micro_batch - 1);
    const auto [wanted, had] = format_bytes_apart(needed, limit);
    return make_error(ErrorCode::out_of_memory, "A micro-batch of {} needs {}, but {} {}; {}.",
                      settings.micro_batch, wanted,
                      budget ? "the memory budget is" : "the device has", had,
                      fitting > 0 ? fmt::format("the largest micro-batch that fits is {}", fitting)
                                  : std::string("no micro-batch fits"));
}

}  // namespace trainscope
