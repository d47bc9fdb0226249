// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/operator_summary.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/ops/fused_operators.h"

namespace trainscope::ui {

namespace {

constexpr std::size_t most_rows = 15;  // that a median is taken of: a second and a half

// Rows [begin, end) of the times.
struct Span {
    std::size_t begin = 0, end = 0;
    bool empty() const { return begin == end; }
};

// The first row of a step after this one.
std::size_t rowAfter(const OperatorTimes& times, std::size_t rows, double step) {
    std::size_t row = rows;
    while (row > 0 && times.step(row - 1) > step) {
        --row;
    }
    return row;
}

std::optional<double> median(const OperatorTimes& times, Span span, std::size_t op, Pass pass) {
    std::vector<double> seconds;
    for (std::size_t row = span.begin; row < span.end; ++row) {
        if (const double value = times.seconds(row, op, pass); !std::isnan(value)) {
            seconds.push_back(value);
        }
    }
    if (seconds.empty()) {
        return std::nullopt;
    }
    const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
    std::nth_element(seconds.begin(), middle, seconds.end());
    return *middle;
}

Span newest(Span span) {
    return {std::max(span.begin, span.end - std::min(span.end, most_rows)), span.end};
}

struct Spans {
    Span now, before;
    std::string knob;
};

Spans findSpans(const Telemetry& telemetry) {
    const OperatorTimes& times = telemetry.operator_times();
    const std::size_t rows = times.rows();
    Spans spans{.now = {0, rows}, .before = {}, .knob = {}};
    std::size_t end = rows;
    const std::vector<Annotation> annotations = telemetry.annotations();
    for (auto knob = annotations.rbegin(); knob != annotations.rend(); ++knob) {
        if (knob->kind != AnnotationKind::knob || knob->refused) {
            continue;
        }
        const std::size_t begin = rowAfter(times, end, knob->step);
        if (spans.knob.empty()) {
            spans.knob = knob->text();
            spans.now.begin = begin;
        } else if (begin < end) {
            spans.before = {begin, end};
            break;
        }
        end = begin;
    }
    if (!spans.knob.empty() && spans.before.empty()) {
        spans.before = {0, end};
    }
    spans.now = newest(spans.now);
    spans.before = newest(spans.before);
    return spans;
}

std::optional<double> sum(std::optional<double> a, std::optional<double> b) {
    return a || b ? std::optional(a.value_or(0) + b.value_or(0)) : std::nullopt;
}

// What one kernel computes in place of these operators in a row; they themselves if it has no name.
std::string fusedName(const std::string& ops) {
    for (const FusedOperator& fused : fused_operators) {
        if (fmt::format("{}", fmt::join(fused.parts, " + ")) == ops) {
            return std::string(fused.op);
        }
    }
    return ops;
}

}  // namespace

std::optional<double> OperatorSummary::total() const {
    return sum(forward, backward);
}

OperatorsSummary summarizeOperators(const Telemetry& telemetry) {
    const OperatorTimes& times = telemetry.operator_times();
    const Spans spans = findSpans(telemetry);
    OperatorsSummary summary{.layers = {}, .knob = spans.knob};
    summary.rows_now = spans.now.end - spans.now.begin;
    const std::vector<TimedOperator>& operators = times.operators();
    for (std::size_t op = 0; op < operators.size(); ++op) {
        if (operators[op].op.empty()) {
            continue;  // a view takes no time
        }
        const auto forward = median(times, spans.now, op, Pass::forward);
        const auto backward = median(times, spans.now, op, Pass::backward);
        const auto before = sum(median(times, spans.before, op, Pass::forward),
                                median(times, spans.before, op, Pass::backward));
        if (!forward && !backward && !spans.now.empty() && !summary.layers.empty()) {
            // Computed together with the layer before it.
            OperatorSummary& first = summary.layers.back();
            first.layer += " + " + operators[op].layer;
            first.op += " + " + operators[op].op;
            first.before = sum(first.before, before);
        } else {
            summary.layers.push_back({.layer = operators[op].layer,
                                      .op = operators[op].op,
                                      .forward = forward,
                                      .backward = backward,
                                      .before = before});
        }
        summary.seconds += sum(forward, backward).value_or(0);
    }
    for (OperatorSummary& layer : summary.layers) {
        layer.op = fusedName(layer.op);
    }
    return summary;
}

}  // namespace trainscope::ui
