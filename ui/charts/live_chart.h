// SPDX-License-Identifier: GPL-3.0-or-later
// One chart: a QChart for place and legend, with layers of ours for everything that moves.
// Lives in any scene, shown or not.
#pragma once

#include <QtCharts/QChart>
#include <optional>
#include <vector>

#include "ui/charts/chart_layout.h"
#include "ui/charts/chart_painter.h"
#include "ui/charts/chart_picture.h"

namespace trainscope::ui {

// What the charts of a panel have in common.
struct ChartState {
    const std::vector<Annotation>* annotations = nullptr;
    Interval x;
    XAxis x_axis = XAxis::samples;
    bool log_loss = false;
    bool emulated = false;  // see chartTitle
    std::optional<std::int64_t> budget;
    QLocale locale;
    const Colors* colors = &lightColors();
    double columns_per_pixel = 1;
    double y_labels = 0;          // room for labels of the y axis, the same for charts in a column
    bool readout_heading = true;  // step and samples in the box of the crosshair
    bool x_labels = true;         // a chart that has another one below it leaves them to that one
};

class LiveChart : public QChart {
    Q_OBJECT

  public:
    explicit LiveChart(ChartId id);

    ChartId id() const { return id_; }
    // Works the picture out for the current size. `data` may be nullptr and must stay until then.
    void show(const ChartData* data, const ChartState& state);
    const ChartPicture& picture() const { return picture_; }
    double wantedLabelWidth() const;

    // A step; nullopt: no crosshair.
    void setCrosshair(std::optional<std::size_t> step);
    std::vector<ReadoutRow> readout(std::size_t step) const;
    // x range that a drag selects, in pixels.
    void setSelection(std::optional<std::pair<double, double>> selection);

  private:
    class Layer;

    void setColors(const Colors& colors);
    void makeLegend();
    double placeLegend(const QRectF& title);  // returns the rows it needs
    PaintStyle style() const;
    void paintCrosshair(QPainter& painter) const;

    ChartId id_;
    const ChartData* data_ = nullptr;
    ChartState state_;
    const Colors* legend_colors_ = nullptr;
    double legend_width_ = -1;  // it is laid out for
    double legend_rows_ = 1;
    ChartLayout layout_;
    ChartPicture picture_;
    std::optional<std::size_t> crosshair_;
    std::optional<std::pair<double, double>> selection_;
    std::vector<Layer*> layers_;
};

// "step 1,234 · 78,976 samples · epoch 1.32 · 0:01:02"
QString stepText(const Telemetry& telemetry, std::size_t step, const QLocale& locale);

}  // namespace trainscope::ui
