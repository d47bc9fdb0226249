// SPDX-License-Identifier: GPL-3.0-or-later
// Inside of ChartPanel: its views, what they have in common, and when they are drawn.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ui/charts/chart_panel.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/view_range.h"

namespace trainscope::ui {

class ChartPanel::Private {
  public:
    struct Slot {
        ChartView* view = nullptr;
        std::unique_ptr<ChartData> data;
        bool visible = false;
    };

    explicit Private(ChartPanel* panel) : q(panel) {}

    Slot& slot(ChartId id) { return slots_.at(static_cast<std::size_t>(id)); }
    void makeViews();
    void connectView(ChartView& view);
    bool readNew();
    void moveView(const std::function<void(ViewRange&)>& move);
    void redraw();
    void drawNew();
    qint64 interval() const;
    void hover(std::optional<double> x);
    void placeCrosshair();
    QString cursorWords() const;
    Interval dataInterval(XAxis axis) const;
    const Column<double>& xColumn(XAxis axis) const { return telemetry->column(xAxisMetric(axis)); }
    // Steps all columns are read up to.
    std::size_t steps() const { return steps_; }

    ChartPanel* q;
    ChartSettings settings;
    ViewRange range;
    std::shared_ptr<const Telemetry> telemetry;
    std::vector<Annotation> annotations;
    std::array<Slot, 7> slots_;
    std::size_t steps_ = 0;
    double label_width_ = 30;
    std::optional<double> hover_;
    std::optional<std::size_t> crosshair_;
    QElapsedTimer drawn_;     // since new data was last drawn
    QTimer later_;            // draws what came too soon after that
    qint64 redraw_time_ = 0;  // ns
};

}  // namespace trainscope::ui
