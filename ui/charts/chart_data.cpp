// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_data.h"

#include <algorithm>
#include <limits>

#include "ui/charts/x_lookup.h"

namespace trainscope::ui {
namespace {

constexpr std::array axes = {XAxis::steps, XAxis::samples, XAxis::epochs, XAxis::active_time};

bool isDerived(const SeriesSpec& spec) {
    return spec.isBand() || spec.kind == SeriesKind::smoothed ||
           spec.kind == SeriesKind::evaluation;
}

}  // namespace

ChartData::ChartData(ChartId id, std::shared_ptr<const Telemetry> telemetry, double smoothing)
    : spec_(chartSpec(id)), telemetry_(std::move(telemetry)), smoothing_(smoothing) {
    start();
}

void ChartData::start() {
    steps_ = 0;
    evaluations_ = 0;
    series_.clear();
    evaluation_x_ = std::make_unique<std::array<Column<double>, 4>>();
    for (const SeriesSpec& spec : spec_.series) {
        Series series{
            &spec, &telemetry_->column(spec.metric), nullptr, DebiasedEma(smoothing_), {}};
        if (isDerived(spec)) {
            series.own = std::make_unique<Column<double>>();
            series.values = series.own.get();
        }
        series_.push_back(std::move(series));
    }
}

bool ChartData::update() {
    const std::size_t steps = telemetry_->steps();
    const Column<EvaluationSample>& evaluated = telemetry_->evaluations();
    const std::size_t evaluations = evaluated.size();
    if (steps == steps_ && evaluations == evaluations_) {
        return false;
    }
    extend(steps_, steps);
    for (std::size_t i = evaluations_; i < evaluations; ++i) {
        const EvaluationSample sample = evaluated[i];
        for (const XAxis axis : axes) {
            (*evaluation_x_)[static_cast<std::size_t>(axis)].append(xOf(sample, axis));
        }
        for (Series& series : series_) {
            if (series.spec->kind == SeriesKind::evaluation) {
                series.own->append(sample.*series.spec->evaluation);
            }
        }
    }
    steps_ = steps;
    evaluations_ = evaluations;
    for (Series& series : series_) {
        series.pyramid.follow(*series.values,
                              series.spec->kind == SeriesKind::evaluation ? evaluations_ : steps_);
    }
    return true;
}

void ChartData::extend(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        double below = 0;
        for (Series& series : series_) {
            const SeriesKind kind = series.spec->kind;
            if (!isDerived(*series.spec) || kind == SeriesKind::evaluation) {
                continue;
            }
            const double value = telemetry_->at(series.spec->metric, i);
            const double shown = kind == SeriesKind::band ? value : series.ema.push(value);
            if (series.spec->isBand()) {
                below += shown;
                series.own->append(below);
            } else {
                series.own->append(shown);
            }
        }
    }
}

void ChartData::setSmoothing(double weight) {
    if (weight == smoothing_) {
        return;
    }
    smoothing_ = weight;
    start();
    update();
}

bool ChartData::hasPoints() const {
    return std::any_of(series_.begin(), series_.end(),
                       [](const Series& series) { return series.pyramid.size() > 0; });
}

SeriesView ChartData::view(std::size_t index, XAxis axis, bool log) const {
    const Series& series = series_[index];
    const bool evaluated = series.spec->kind == SeriesKind::evaluation;
    return {evaluated ? (*evaluation_x_)[static_cast<std::size_t>(axis)]
                      : telemetry_->column(xAxisMetric(axis)),
            *series.values, series.pyramid, evaluated ? evaluations_ : steps_, log};
}

std::size_t ChartData::evaluationsUpTo(std::size_t step) const {
    return firstAbove((*evaluation_x_)[0], 0, evaluations_, telemetry_->at(Metric::step, step));
}

double ChartData::levelAt(std::size_t index, std::size_t step) const {
    const Series& series = series_[index];
    if (series.spec->kind != SeriesKind::evaluation) {
        return step < steps_ ? (*series.values)[step] : std::numeric_limits<double>::quiet_NaN();
    }
    const std::size_t count = step < steps_ ? evaluationsUpTo(step) : 0;
    return count > 0 ? (*series.values)[count - 1] : std::numeric_limits<double>::quiet_NaN();
}

double ChartData::valueAt(std::size_t index, std::size_t step) const {
    double value = levelAt(index, step);
    if (series_[index].spec->isBand() && index > 0 && series_[index - 1].spec->isBand()) {
        value -= levelAt(index - 1, step);
    }
    return value;
}

}  // namespace trainscope::ui
