// SPDX-License-Identifier: GPL-3.0-or-later
// Annotations as vertical lines with short labels above the plot, none on top of another.
#pragma once

#include <QFontMetricsF>
#include <QRectF>
#include <QString>
#include <QStringList>
#include <vector>

#include "engine/train/telemetry.h"
#include "ui/charts/chart_table.h"

namespace trainscope::ui {

struct PlacedAnnotation {
    double x = 0;      // pixel
    bool bad = false;  // refused, or an error
    bool line = true;  // false: the line of one of its kind that is nearly there stands for it
    QRectF label_box;  // empty: it had no room; the label before it counts it
    QString label;     // "micro_batch 32 → 64", "... +2"
    QString text;      // all of it, for the tooltip
};

// Those within the plot, left to right, labels in a strip of the given height above it.
std::vector<PlacedAnnotation> placeAnnotations(const std::vector<Annotation>& annotations,
                                               XAxis axis, double x_low, double x_high,
                                               const QRectF& plot, double strip_height,
                                               const QFontMetricsF& metrics);

// The texts of all annotations within reach of a pixel, one a line.
QStringList annotationsNear(const std::vector<PlacedAnnotation>& placed, double x, double reach);

}  // namespace trainscope::ui
