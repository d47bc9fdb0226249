// SPDX-License-Identifier: GPL-3.0-or-later
// Logs as CSV (RFC 4180, with plain line feeds).
#include <cmath>

#include "engine/core/csv_field.h"
#include "engine/record/atomic_file.h"
#include "engine/record/log_export.h"
#include "engine/record/number_text.h"
#include "engine/record/stopped.h"

namespace trainscope {

namespace {

void append_evaluation(std::string& line, const EvaluationSample& evaluation) {
    line += ',';
    append_number(line, evaluation.loss);
    line += ',';
    append_number(line, evaluation.accuracy);
    line += '\n';
}

// The row of an evaluation that no recorded step belongs to.
void append_evaluation_only(std::string& line, const EvaluationSample& evaluation) {
    for (const MetricInfo& info : metric_table()) {
        switch (info.metric) {
            case Metric::step:
                append_number(line, evaluation.step);
                break;
            case Metric::samples:
                append_number(line, evaluation.samples);
                break;
            case Metric::epoch:
                append_number(line, evaluation.epoch);
                break;
            case Metric::active_seconds:
                append_number(line, evaluation.active_seconds);
                break;
            default:
                break;
        }
        line += info.metric == metric_table().back().metric ? "" : ",";
    }
    append_evaluation(line, evaluation);
}

std::string csv_header() {
    std::string header;
    for (const MetricInfo& info : metric_table()) {
        header += csv_field(info.name);
        header += ',';
    }
    return header + "eval_loss,eval_accuracy\n";
}

}  // namespace

Result<void> write_csv(const std::filesystem::path& file, const Telemetry& telemetry,
                       const std::stop_token& stop) {
    auto out = AtomicFile::create(file);
    if (!out) {
        return make_error(std::move(out.error()));
    }
    // In this order, so that the step of every evaluation seen is among the steps seen.
    const Column<EvaluationSample>& evaluations = telemetry.evaluations();
    const std::size_t evaluation_count = evaluations.size();
    const std::size_t steps = telemetry.steps();

    out->write(csv_header());
    std::size_t next = 0;
    std::string line;
    for (std::size_t i = 0; i < steps; ++i) {
        if (Result<void> on = go_on(stop, i, file); !on) {
            return on;
        }
        const double step = telemetry.at(Metric::step, i);
        for (; next < evaluation_count && evaluations[next].step < step; ++next) {
            line.clear();
            append_evaluation_only(line, evaluations[next]);
            out->write(line);
        }
        line.clear();
        for (const MetricInfo& info : metric_table()) {
            line += line.empty() ? "" : ",";
            append_number(line, telemetry.at(info.metric, i));
        }
        // Of several evaluations at one step the first shares its row, the others follow.
        if (next < evaluation_count && evaluations[next].step == step) {
            append_evaluation(line, evaluations[next++]);
        } else {
            line += ",,\n";
        }
        out->write(line);
    }
    for (; next < evaluation_count; ++next) {
        line.clear();
        append_evaluation_only(line, evaluations[next]);
        out->write(line);
    }
    return out->commit();
}

Result<void> write_annotations_csv(const std::filesystem::path& file, const Telemetry& telemetry) {
    auto out = AtomicFile::create(file);
    if (!out) {
        return make_error(std::move(out.error()));
    }
    out->write("step,samples,epoch,active_seconds,what,from,to,refused,reason,kind\n");
    for (const Annotation& annotation : telemetry.annotations()) {
        std::string line;
        for (const double value :
             {annotation.step, annotation.samples, annotation.epoch, annotation.active_seconds}) {
            append_number(line, value);
            line += ',';
        }
        for (const std::string* text : {&annotation.what, &annotation.from, &annotation.to}) {
            line += csv_field(*text);
            line += ',';
        }
        line += annotation.refused ? "true," : "false,";
        line += csv_field(annotation.reason);
        line += ',';
        line += name_of(annotation.kind);
        out->write(line + '\n');
    }
    return out->commit();
}

Result<void> write_layer_times_csv(const std::filesystem::path& file, const Telemetry& telemetry,
                                   const std::stop_token& stop) {
    auto out = AtomicFile::create(file);
    if (!out) {
        return make_error(std::move(out.error()));
    }
    out->write("step,layer,operator,forward_seconds,backward_seconds\n");
    const OperatorTimes& times = telemetry.operator_times();
    const std::size_t rows = times.rows();
    std::string line;
    for (std::size_t row = 0; row < rows; ++row) {
        if (Result<void> on = go_on(stop, row, file); !on) {
            return on;
        }
        for (std::size_t op = 0; op < times.operators().size(); ++op) {
            if (times.operators()[op].op.empty()) {
                continue;
            }
            line.clear();
            append_number(line, times.step(row));
            line += ',';
            line += csv_field(times.operators()[op].layer);
            line += ',';
            line += csv_field(times.operators()[op].op);
            for (const Pass pass : {Pass::forward, Pass::backward}) {
                line += ',';
                if (const double seconds = times.seconds(row, op, pass); !std::isnan(seconds)) {
                    append_number(line, seconds);
                }
            }
            out->write(line + '\n');
        }
    }
    return out->commit();
}

}  // namespace trainscope
