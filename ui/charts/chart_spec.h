// SPDX-License-Identifier: GPL-3.0-or-later
// What each chart shows: its unit and its series. Data, legend, readout and painters read this.
#pragma once

#include <QString>
#include <cstddef>
#include <span>

#include "engine/train/telemetry.h"
#include "ui/charts/axis_labels.h"
#include "ui/charts/chart_table.h"

namespace trainscope::ui {

enum class SeriesKind {
    raw,            // thin and faint, behind its smoothed line
    smoothed,       // the moving average of a metric
    line,           // a metric as it is
    band,           // stacked on the bands before it
    smoothed_band,  // the same, of moving averages
    evaluation,     // markers and a line; few points
    ceiling,        // a metric that bounds the stack from above
};

struct SeriesSpec {
    SeriesKind kind = SeriesKind::line;
    const char* name = nullptr;  // untranslated
    std::size_t color = 0;       // of Colors::series
    Metric metric{};             // unless it is an evaluation
    double EvaluationSample::*evaluation = nullptr;

    bool isBand() const { return kind == SeriesKind::band || kind == SeriesKind::smoothed_band; }
};

struct ChartSpec {
    ChartId id;
    Unit unit;
    const char* axis;  // untranslated name of the y axis; empty: the unit says it all
    bool from_zero;    // the y axis starts at 0
    bool tame_spikes;  // a few values far above the rest are cut off and marked
    std::span<const SeriesSpec> series;
};

const ChartSpec& chartSpec(ChartId id);
QString seriesName(const SeriesSpec& series);  // translated
// "loss", "MiB", "correct (%)": for an axis whose ticks count the given unit.
QString axisTitle(const ChartSpec& chart, const QString& unit);

QString xAxisTitle(XAxis axis);  // "samples", "active time (h:mm:ss)"
Unit xAxisUnit(XAxis axis);
Metric xAxisMetric(XAxis axis);
double xOf(const EvaluationSample& sample, XAxis axis);
double xOf(const Annotation& annotation, XAxis axis);

}  // namespace trainscope::ui
