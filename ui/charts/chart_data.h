// SPDX-License-Identifier: GPL-3.0-or-later
// What one chart draws from a telemetry: its columns, those derived from them, and a pyramid over
// each. No widgets.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "engine/train/telemetry.h"
#include "ui/charts/chart_spec.h"
#include "ui/charts/decimation.h"
#include "ui/charts/pyramid.h"
#include "ui/charts/smoothing.h"

namespace trainscope::ui {

class ChartData {
  public:
    ChartData(ChartId id, std::shared_ptr<const Telemetry> telemetry, double smoothing);

    // Reads what is new. True if there was anything.
    bool update();
    void setSmoothing(double weight);  // from the first value on

    const ChartSpec& spec() const { return spec_; }
    const Telemetry& telemetry() const { return *telemetry_; }
    std::size_t steps() const { return steps_; }
    std::size_t evaluations() const { return evaluations_; }
    bool hasPoints() const;  // at least one that this chart could draw

    // How a series looks at one of the axes. Valid until the next update.
    SeriesView view(std::size_t series, XAxis axis, bool log) const;
    // Of a step: what the readout says, NaN where there is nothing. A band's own height, and the
    // newest evaluation up to the step.
    double valueAt(std::size_t series, std::size_t step) const;
    // Where the curve is at that step: the top of a band.
    double levelAt(std::size_t series, std::size_t step) const;

  private:
    struct Series {
        const SeriesSpec* spec;
        const Column<double>* values;         // the telemetry's or own
        std::unique_ptr<Column<double>> own;  // derived values
        DebiasedEma ema{0};
        Pyramid pyramid;
    };

    void start();  // derived columns from nothing
    void extend(std::size_t begin, std::size_t end);
    std::size_t evaluationsUpTo(std::size_t step) const;

    const ChartSpec& spec_;
    std::shared_ptr<const Telemetry> telemetry_;
    double smoothing_;
    std::size_t steps_ = 0;
    std::size_t evaluations_ = 0;
    std::vector<Series> series_;
    std::unique_ptr<std::array<Column<double>, 4>> evaluation_x_;
};

}  // namespace trainscope::ui
