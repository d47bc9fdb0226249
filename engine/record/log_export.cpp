// SPDX-License-Identifier: GPL-3.0-or-later
// The table of logs, and the words that describe a run in them.
#include "engine/record/log_export.h"

#include <sys/utsname.h>

#include <array>

#include "engine/core/build_info.h"
#include "engine/core/format.h"

namespace trainscope {

namespace {

void describe_optimizer(std::map<std::string, std::string>& fields,
                        const OptimizerSettings& optimizer) {
    fields["optimizer"] = name_of(optimizer.kind);
    fields["learning_rate"] = format_float(optimizer.learning_rate);
    if (optimizer.kind == OptimizerKind::momentum) {
        fields["momentum"] = format_float(optimizer.momentum);
    }
    if (state_slots(optimizer.kind) == 2) {
        fields["beta1"] = format_float(optimizer.beta1);
        fields["beta2"] = format_float(optimizer.beta2);
        fields["eps"] = format_float(optimizer.eps);
    }
    if (optimizer.kind == OptimizerKind::adamw) {
        fields["weight_decay"] = format_float(optimizer.weight_decay);
    }
}

std::map<std::string, std::string> describe_environment(const TrainerConfig& config) {
    std::map<std::string, std::string> fields = library_versions();
    const BuildInfo& build = build_info();
    fields["trainscope"] = build.version;
    fields["compiler"] = build.compiler;
    fields["build_type"] = build.build_type;
    fields["device_description"] = config.device.description;
    utsname system{};
    if (uname(&system) == 0) {
        fields["host"] = system.nodename;
        fields["system"] = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
    }
    return fields;
}

using Path = std::filesystem::path;
using Stop = std::stop_token;

constexpr std::array<LogExporter, 5> exporters = {{
    {"csv", "log.csv", "one row an optimizer step, one column a metric",
     [](const Path& file, const Telemetry& telemetry, const RunDescription&, const Stop& stop) {
         return write_csv(file, telemetry, stop);
     }},
    {"annotations", "annotations.csv", "one row a knob turned, event or error",
     [](const Path& file, const Telemetry& telemetry, const RunDescription&, const Stop&) {
         return write_annotations_csv(file, telemetry);
     }},
    {"layer_times", "layer_times.csv", "how long each layer took, a few times a second",
     [](const Path& file, const Telemetry& telemetry, const RunDescription&, const Stop& stop) {
         return write_layer_times_csv(file, telemetry, stop);
     }},
    {"jsonl", "log.jsonl", "JSON lines: steps, evaluations, annotations, what ran and where",
     &write_json_lines},
    {"run", "run.json", "configuration and environment of the run",
     [](const Path& file, const Telemetry& telemetry, const RunDescription& run, const Stop&) {
         return write_run_json(file, telemetry, run);
     }},
}};

}  // namespace

std::span<const LogExporter> log_exporters() {
    return exporters;
}

RunDescription describe_run(const TrainerConfig& config, const Dataset& dataset) {
    RunDescription run;
    std::map<std::string, std::string>& fields = run.configuration;
    fields["model"] = config.model.name;
    fields["model_json"] = to_json(config.model);
    fields["dataset"] = dataset.name;
    fields["dataset_source"] = dataset.source;
    fields["sample"] = dataset.sample.to_string();
    fields["classes"] = fmt::format("{}", dataset.classes);
    fields["train_samples"] = fmt::format("{}", dataset.train.count);
    fields["test_samples"] = fmt::format("{}", dataset.test.count);
    fields["device"] = config.device.id;
    fields["threads"] =
        fmt::format("{}", config.threads > 0 ? config.threads : config.device.threads);
    fields["seed"] = fmt::format("{}", config.seed);
    fields["shuffle"] = config.shuffle ? "true" : "false";
    fields["micro_batch"] = fmt::format("{}", config.micro_batch);
    fields["accumulation"] = fmt::format("{}", config.accumulation);
    fields["epochs"] = config.epochs > 0 ? fmt::format("{}", config.epochs) : "until stopped";
    fields["max_steps"] = config.max_steps > 0 ? fmt::format("{}", config.max_steps) : "no limit";
    fields["evaluation_interval"] = config.evaluation_interval > 0
                                        ? fmt::format("{} step{}", config.evaluation_interval,
                                                      config.evaluation_interval == 1 ? "" : "s")
                                        : "1 epoch";
    fields["memory_budget"] =
        config.memory_budget ? fmt::format("{} bytes", *config.memory_budget) : "none";
    describe_optimizer(fields, config.optimizer);
    for (const auto& [op, variant] : config.variants.names()) {
        fields["variant." + op] = variant;
    }
    run.environment = describe_environment(config);
    return run;
}

}  // namespace trainscope
