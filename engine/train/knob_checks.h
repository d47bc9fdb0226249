// SPDX-License-Identifier: GPL-3.0-or-later
// What may be asked of a training, checked at the door. Each error is a sentence for the user.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/result.h"
#include "engine/data/dataset.h"
#include "engine/data/sampler.h"
#include "engine/model/graph.h"
#include "engine/model/memory_plan.h"
#include "engine/ops/check_variant.h"
#include "engine/train/trainer.h"

namespace trainscope {

Result<void> check_micro_batch(std::int64_t micro_batch, const Dataset& dataset);
Result<void> check_accumulation(std::int64_t steps);
Result<void> check_learning_rate(double value);
Result<void> check_evaluation_interval(std::int64_t steps);
// Whether the dataset, the limits and the knobs of a configuration are in range.
Result<void> check_config(const TrainerConfig& config, const Dataset& dataset);

// The batch sizes that come up when training goes on from `from`, and in evaluations: the
// micro-batch first, then the short last ones.
struct BatchSizes {
    std::vector<std::int64_t> training;
    std::vector<std::int64_t> all;
};
BatchSizes batch_sizes(std::int64_t micro_batch, const Dataset& dataset, SamplePosition from);

// Batch norm needs more than one value a channel in every batch it is trained on.
Result<void> check_batch_norm(const Graph& graph, const BatchSizes& sizes);

// Whether the plan fits the budget, or without one the device. Says which micro-batch would.
Result<void> check_budget(const Graph& graph, const PlanSettings& settings, const MemoryPlan& plan,
                          std::optional<std::int64_t> budget, const DeviceInfo& device);

}  // namespace trainscope
