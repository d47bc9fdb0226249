// SPDX-License-Identifier: GPL-3.0-or-later
// Logs as JSON lines: everything that was recorded, with what ran where.
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/record/atomic_file.h"
#include "engine/record/log_export.h"
#include "engine/record/number_text.h"
#include "engine/record/stopped.h"

namespace trainscope {

namespace {

using nlohmann::ordered_json;

// JSON has no NaN and no infinity; these spellings are what Python's and JavaScript's readers use.
void append_json_number(std::string& line, double value) {
    if (std::isnan(value)) {
        line += "\"NaN\"";
    } else if (std::isinf(value)) {
        line += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    } else {
        append_number(line, value);
    }
}

void append_number_field(std::string& line, std::string_view name, double value) {
    line += ",\"";
    line += name;
    line += "\":";
    append_json_number(line, value);
}

// Bytes that are not UTF-8 (a folder's name may hold any) become U+FFFD.
std::string quoted(const std::string& text) {
    return ordered_json(text).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

void append_text_field(std::string& line, std::string_view name, const std::string& text) {
    line += ",\"";
    line += name;
    line += "\":";
    line += quoted(text);
}

std::string run_json(const Telemetry& telemetry, const RunDescription& run, int indent) {
    ordered_json object;
    object["type"] = "run";
    object["started_at"] = telemetry.started_at();
    object["configuration"] = run.configuration;
    object["environment"] = run.environment;
    return object.dump(indent, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

std::string step_line(const Telemetry& telemetry, std::size_t index) {
    std::string line = R"({"type":"step")";
    for (const MetricInfo& info : metric_table()) {
        append_number_field(line, info.name, telemetry.at(info.metric, index));
    }
    return line + "}\n";
}

template <class Sample>
void append_position(std::string& line, const Sample& sample) {
    append_number_field(line, "step", sample.step);
    append_number_field(line, "samples", sample.samples);
    append_number_field(line, "epoch", sample.epoch);
    append_number_field(line, "active_seconds", sample.active_seconds);
}

std::string evaluation_line(const EvaluationSample& evaluation) {
    std::string line = R"({"type":"evaluation")";
    append_position(line, evaluation);
    append_number_field(line, "loss", evaluation.loss);
    append_number_field(line, "accuracy", evaluation.accuracy);
    append_number_field(line, "seconds", evaluation.seconds);
    return line + "}\n";
}

std::string annotation_line(const Annotation& annotation) {
    std::string line = R"({"type":"annotation")";
    append_position(line, annotation);
    append_text_field(line, "what", annotation.what);
    append_text_field(line, "from", annotation.from);
    append_text_field(line, "to", annotation.to);
    line += annotation.refused ? ",\"refused\":true" : ",\"refused\":false";
    append_text_field(line, "reason", annotation.reason);
    append_text_field(line, "kind", std::string(name_of(annotation.kind)));
    return line + "}\n";
}

}  // namespace

Result<void> write_json_lines(const std::filesystem::path& file, const Telemetry& telemetry,
                              const RunDescription& run, const std::stop_token& stop) {
    auto out = AtomicFile::create(file);
    if (!out) {
        return make_error(std::move(out.error()));
    }
    // Steps last, so that the step of everything else seen is among the steps seen.
    const std::vector<Annotation> annotations = telemetry.annotations();
    const Column<EvaluationSample>& evaluations = telemetry.evaluations();
    const std::size_t evaluation_count = evaluations.size();
    const std::size_t steps = telemetry.steps();

    out->write(run_json(telemetry, run, -1));
    std::size_t evaluation = 0;
    std::size_t annotation = 0;
    // What happened after the steps before `step`; an evaluation before the knobs turned after it.
    const auto write_before = [&](double step) {
        while (true) {
            const bool has_evaluation =
                evaluation < evaluation_count && evaluations[evaluation].step < step;
            const bool has_annotation =
                annotation < annotations.size() && annotations[annotation].step < step;
            if (has_evaluation &&
                (!has_annotation || evaluations[evaluation].step <= annotations[annotation].step)) {
                out->write(evaluation_line(evaluations[evaluation++]));
            } else if (has_annotation) {
                out->write(annotation_line(annotations[annotation++]));
            } else {
                return;
            }
        }
    };
    for (std::size_t i = 0; i < steps; ++i) {
        if (Result<void> on = go_on(stop, i, file); !on) {
            return on;
        }
        write_before(telemetry.at(Metric::step, i));
        out->write(step_line(telemetry, i));
    }
    write_before(HUGE_VAL);
    return out->commit();
}

Result<void> write_run_json(const std::filesystem::path& file, const Telemetry& telemetry,
                            const RunDescription& run) {
    auto out = AtomicFile::create(file);
    if (!out) {
        return make_error(std::move(out.error()));
    }
    out->write(run_json(telemetry, run, 2));
    return out->commit();
}

}  // namespace trainscope
