// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of a training as files that others read.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "engine/train/trainer.h"

namespace trainscope {

// Every function here may be called while the training goes on: what is written is the run as it
// was at the call, whole rows only. Files are written to a temporary file beside their place, then
// renamed; error io names the file. Once `stop` is requested they end soon with the error
// cancelled, and the file is as it was.

// What a log says of the run beside its samples.
struct RunDescription {
    std::map<std::string, std::string> configuration;  // model, dataset, micro_batch, seed, ...
    std::map<std::string, std::string> environment;  // version, device, compiler, oneDNN, host, ...
};
RunDescription describe_run(const TrainerConfig& config, const Dataset& dataset);

// One row an optimizer step, full resolution, one column a metric, and eval_loss and eval_accuracy
// that are blank where no evaluation followed the step. An evaluation before the first step has a
// row of its own, with the rest blank. Floats in the shortest form that reads back to the same
// bits; "." as decimal separator whatever the locale.
Result<void> write_csv(const std::filesystem::path& file, const Telemetry& telemetry,
                       const std::stop_token& stop = {});

// One row a knob turned, event or error: step, samples, epoch, active_seconds, what, from, to,
// refused, reason, kind.
Result<void> write_annotations_csv(const std::filesystem::path& file, const Telemetry& telemetry);

// One row a layer of each micro-batch that was timed, a few a second:
// step,layer,operator,forward_seconds,backward_seconds. A time is blank where the layer was
// computed together with the one before it, or has no such pass. Layers without an operator
// (flatten) have no row.
Result<void> write_layer_times_csv(const std::filesystem::path& file, const Telemetry& telemetry,
                                   const std::stop_token& stop = {});

// One JSON object a line: first {"type":"run",...} with configuration and environment, then
// {"type":"step",...}, {"type":"evaluation",...} and {"type":"annotation",...} in order of steps.
// NaN and infinities are the strings "NaN", "Infinity", "-Infinity".
Result<void> write_json_lines(const std::filesystem::path& file, const Telemetry& telemetry,
                              const RunDescription& run, const std::stop_token& stop = {});

// Configuration and environment as one JSON object over several lines.
Result<void> write_run_json(const std::filesystem::path& file, const Telemetry& telemetry,
                            const RunDescription& run);

// A kind of log, as the command line and the window offer it.
struct LogExporter {
    std::string_view name;       // what --export-formats takes: "csv"
    std::string_view file_name;  // "log.csv"
    std::string_view description;
    Result<void> (*write)(const std::filesystem::path&, const Telemetry&, const RunDescription&,
                          const std::stop_token&);
};
std::span<const LogExporter> log_exporters();

}  // namespace trainscope
