// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_spec.h"

#include <QCoreApplication>
#include <array>

namespace trainscope::ui {
namespace {

using enum SeriesKind;

constexpr std::array loss_series = {
    SeriesSpec{raw, QT_TRANSLATE_NOOP("charts", "train"), 0, Metric::loss},
    SeriesSpec{smoothed, QT_TRANSLATE_NOOP("charts", "train, smoothed"), 0, Metric::loss},
    SeriesSpec{evaluation, QT_TRANSLATE_NOOP("charts", "test"), 1, {}, &EvaluationSample::loss},
};
constexpr std::array throughput_series = {
    SeriesSpec{raw, QT_TRANSLATE_NOOP("charts", "each step"), 0, Metric::samples_per_second},
    SeriesSpec{smoothed, QT_TRANSLATE_NOOP("charts", "smoothed"), 0, Metric::samples_per_second},
};
constexpr std::array memory_series = {
    SeriesSpec{band, QT_TRANSLATE_NOOP("charts", "parameters"), 0, Metric::memory_parameters},
    SeriesSpec{band, QT_TRANSLATE_NOOP("charts", "gradients"), 1, Metric::memory_gradients},
    SeriesSpec{band, QT_TRANSLATE_NOOP("charts", "optimizer state"), 2,
               Metric::memory_optimizer_state},
    SeriesSpec{band, QT_TRANSLATE_NOOP("charts", "activations"), 3, Metric::memory_activations},
    SeriesSpec{band, QT_TRANSLATE_NOOP("charts", "workspace"), 4, Metric::memory_workspace},
    SeriesSpec{band, QT_TRANSLATE_NOOP("charts", "input"), 5, Metric::memory_input},
    SeriesSpec{ceiling, QT_TRANSLATE_NOOP("charts", "peak"), 5, Metric::memory_peak},
};
constexpr std::array accuracy_series = {
    SeriesSpec{evaluation, QT_TRANSLATE_NOOP("charts", "test"), 1, {}, &EvaluationSample::accuracy},
};
constexpr std::array step_time_series = {
    SeriesSpec{smoothed_band, QT_TRANSLATE_NOOP("charts", "data"), 5, Metric::data_seconds},
    SeriesSpec{smoothed_band, QT_TRANSLATE_NOOP("charts", "forward"), 0, Metric::forward_seconds},
    SeriesSpec{smoothed_band, QT_TRANSLATE_NOOP("charts", "backward"), 1, Metric::backward_seconds},
    SeriesSpec{smoothed_band, QT_TRANSLATE_NOOP("charts", "optimizer"), 2,
               Metric::optimizer_seconds},
};
constexpr std::array gradient_series = {
    SeriesSpec{raw, QT_TRANSLATE_NOOP("charts", "each step"), 3, Metric::gradient_norm},
    SeriesSpec{smoothed, QT_TRANSLATE_NOOP("charts", "smoothed"), 3, Metric::gradient_norm},
};
constexpr std::array rate_series = {
    SeriesSpec{line, QT_TRANSLATE_NOOP("charts", "learning rate"), 2, Metric::learning_rate},
};

const std::array<ChartSpec, 7> specs = {{
    {ChartId::loss, Unit::plain, QT_TRANSLATE_NOOP("charts", "loss"), false, false, loss_series},
    {ChartId::throughput, Unit::per_second, "", true, true, throughput_series},
    {ChartId::memory, Unit::bytes, "", true, false, memory_series},
    {ChartId::accuracy, Unit::share, QT_TRANSLATE_NOOP("charts", "correct"), false, false,
     accuracy_series},
    {ChartId::step_time, Unit::seconds, "", true, true, step_time_series},
    {ChartId::gradient_norm, Unit::plain, QT_TRANSLATE_NOOP("charts", "L2 norm"), true, true,
     gradient_series},
    {ChartId::learning_rate, Unit::plain, QT_TRANSLATE_NOOP("charts", "rate"), true, false,
     rate_series},
}};

QString translated(const char* text) {
    return QCoreApplication::translate("charts", text);
}

// The four x values that every record has.
template <class Record>
double xOfRecord(const Record& record, XAxis axis) {
    switch (axis) {
        case XAxis::steps:
            return record.step;
        case XAxis::samples:
            return record.samples;
        case XAxis::epochs:
            return record.epoch;
        case XAxis::active_time:
            return record.active_seconds;
    }
    return record.step;
}

}  // namespace

const ChartSpec& chartSpec(ChartId id) {
    return specs.at(static_cast<std::size_t>(id));
}

QString seriesName(const SeriesSpec& series) {
    return translated(series.name);
}

QString axisTitle(const ChartSpec& chart, const QString& unit) {
    const QString name = *chart.axis == '\0' ? QString() : translated(chart.axis);
    if (name.isEmpty() || unit.isEmpty()) {
        return name + unit;
    }
    return QStringLiteral("%1 (%2)").arg(name, unit);
}

QString xAxisTitle(XAxis axis) {
    switch (axis) {
        case XAxis::steps:
            return translated(QT_TRANSLATE_NOOP("charts", "steps"));
        case XAxis::samples:
            return translated(QT_TRANSLATE_NOOP("charts", "samples"));
        case XAxis::epochs:
            return translated(QT_TRANSLATE_NOOP("charts", "epochs"));
        case XAxis::active_time:
            return translated(QT_TRANSLATE_NOOP("charts", "active time (h:mm:ss)"));
    }
    return {};
}

Unit xAxisUnit(XAxis axis) {
    return axis == XAxis::epochs        ? Unit::plain
           : axis == XAxis::active_time ? Unit::clock
                                        : Unit::count;
}

Metric xAxisMetric(XAxis axis) {
    constexpr std::array metrics = {Metric::step, Metric::samples, Metric::epoch,
                                    Metric::active_seconds};
    return metrics.at(static_cast<std::size_t>(axis));
}

double xOf(const EvaluationSample& sample, XAxis axis) {
    return xOfRecord(sample, axis);
}

double xOf(const Annotation& annotation, XAxis axis) {
    return xOfRecord(annotation, axis);
}

}  // namespace trainscope::ui
