// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a ChartPicture, layer by layer. The same for screen, PNG, SVG and PDF.
#pragma once

#include <QPainter>
#include <optional>

#include "ui/charts/chart_picture.h"

namespace trainscope::ui {

struct PaintStyle {
    const Colors& colors;
    QFont font;     // of the program
    QString title;  // of the chart
    QRectF title_box;
    bool x_labels = true;
};

void paintGrid(QPainter& painter, const ChartPicture& picture, const PaintStyle& style);
void paintCurves(QPainter& painter, const ChartPicture& picture, const PaintStyle& style);
// Ticks, labels and titles around the plot; annotations, budget and notes over it.
void paintLabels(QPainter& painter, const ChartPicture& picture, const PaintStyle& style);

struct ReadoutRow {
    std::size_t series = 0;
    QString name;
    QString value;
    std::optional<double> y;  // pixel of the point on the curve
};
// A line at pixel x, points on the curves and a box with the rows that never leaves the plot.
void paintReadout(QPainter& painter, const ChartPicture& picture, const PaintStyle& style, double x,
                  const QString& heading, const std::vector<ReadoutRow>& rows);

}  // namespace trainscope::ui
