// SPDX-License-Identifier: GPL-3.0-or-later
// What the pictures of the bench share; for bench_*.cpp alone.
#pragma once

#include "ui/charts/axis_labels.h"
#include "ui/kernels/bench_picture.h"

namespace trainscope::ui {

// A place for an axis: its values and its pixels.
struct BenchAxis {
    double low = 0, high = 1;
    double first = 0, last = 1;  // pixels
    bool log = false;

    double pixel(double value) const;
};

void paintTimes(QPainter& painter, const QRectF& box, const std::vector<const BenchRow*>& rows,
                const BenchPictureInput& input);
void paintRoofline(QPainter& painter, const QRectF& box, const std::vector<const BenchRow*>& rows,
                   const BenchPictureInput& input);

// Grid line, mark and label of each tick of the axis under the plot, and its title.
void paintBottomAxis(QPainter& painter, const QRectF& plot, const BenchAxis& axis,
                     const AxisTicks& ticks, const QString& title, const BenchPictureInput& input);
void paintLeftAxis(QPainter& painter, const QRectF& plot, const BenchAxis& axis,
                   const AxisTicks& ticks, const QString& title, const BenchPictureInput& input);
// What a pass is drawn in: forward (and the only one) or backward.
const SeriesColors& colorsOfPass(const std::string& pass, const Colors& colors);
// The passes of the rows with their colours, right-aligned in the box.
void paintPassLegend(QPainter& painter, const QRectF& box, const std::vector<const BenchRow*>& rows,
                     const BenchPictureInput& input);

}  // namespace trainscope::ui
