// SPDX-License-Identifier: GPL-3.0-or-later
// What a person can ask of a running training. Commands are values; the trainer applies them
// between optimizer steps and answers each with applied or refused-and-why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "engine/ops/optimizer.h"

namespace trainscope {

struct Pause {};
struct Resume {};
struct SingleStep {};  // one optimizer step, then paused
struct Stop {};
struct SetMicroBatch {
    std::int64_t samples = 32;
};
struct SetAccumulation {
    std::int64_t steps = 1;
};
struct SetLearningRate {
    double value = 0.05;
};
// Fresh state, the learning rate is kept unless given.
struct SetOptimizer {
    OptimizerKind kind = OptimizerKind::momentum;
    std::optional<double> learning_rate;
};
struct SetVariant {
    std::string op;
    std::string variant;
};  // "conv2d", "im2col_gemm"
struct SetMemoryBudget {
    std::optional<std::int64_t> bytes;
};
struct EvaluateNow {};
struct SetEvaluationInterval {
    std::int64_t steps = 0;
};  // 0: at the end of each epoch

using CommandBody =
    std::variant<Pause, Resume, SingleStep, Stop, SetMicroBatch, SetAccumulation, SetLearningRate,
                 SetOptimizer, SetVariant, SetMemoryBudget, EvaluateNow, SetEvaluationInterval>;

using CommandId = std::uint64_t;

struct Command {
    CommandId id = 0;
    CommandBody body;
};

struct CommandAnswer {
    CommandId id = 0;
    bool applied = false;
    std::int64_t step = 0;  // optimizer steps finished when it was answered
    std::string reason;     // why refused: one sentence for the user
};

}  // namespace trainscope
