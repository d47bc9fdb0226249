// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of a training as files that others read.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "engine/core/result.h"
#include "engine/train/trainer.h"

namespace trainscope {

// What a log says of the run beside its samples.
struct RunDescription {
    std::map<std::string, std::string> configuration;  // model, dataset, micro_batch, seed, ...
    std::map<std::string, std::string> environment;  // version, device, compiler, oneDNN, host, ...
};
RunDescription describe_run(const TrainerConfig& config, const Dataset& dataset);

// One row an optimizer step, full resolution, one column a metric, and eval_loss and eval_accuracy
// that are blank where no evaluation followed the step. Floats in the shortest form that reads back
// to the same bits; "." as decimal separator whatever the locale. Written to a temporary file
// beside it, then renamed. Error io names the file.
Result<void> write_csv(const std::filesystem::path& file, const Telemetry& telemetry);

// One JSON object a line: first {"type":"run",...} with configuration and environment, then
// {"type":"step",...}, {"type":"evaluation",...} and {"type":"annotation",...} in order of steps.
// NaN and infinities are the strings "NaN", "Infinity", "-Infinity".
Result<void> write_json_lines(const std::filesystem::path& file, const Telemetry& telemetry,
                              const RunDescription& run);

}  // namespace trainscope
