// SPDX-License-Identifier: GPL-3.0-or-later
// One chart worked out for one size: everything that is painted, as pixels and words. Built from
// the data by makePicture, painted by chart_painter; neither knows a widget.
#pragma once

#include <QFont>
#include <QLineF>
#include <QLocale>
#include <QPolygonF>
#include <QRectF>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <optional>
#include <vector>

#include "ui/charts/annotation_layout.h"
#include "ui/charts/chart_data.h"
#include "ui/theme/palette.h"

namespace trainscope::ui {

// What a picture is made of.
struct PictureInput {
    ChartId id = ChartId::loss;
    const ChartData* data = nullptr;  // nullptr: nothing loaded
    const std::vector<Annotation>* annotations = nullptr;
    QRectF plot;                   // where the curves go
    double columns_per_pixel = 1;  // more where a pixel of the layout becomes several of a file
    Interval x;
    XAxis x_axis = XAxis::samples;
    bool log = false;
    std::optional<std::int64_t> budget;
    QLocale locale;
    QFont font;  // of labels
};

struct PlacedTick {
    double at = 0;  // pixel
    QString label;
};

struct PlacedBand {
    QPolygonF area;
    std::vector<QLineF> edge;
    std::size_t series = 0;
    QString name;  // where there is room inside the band
    QPointF name_center;
};

struct PlacedCurve {
    std::vector<QLineF> lines;
    std::vector<QPointF> markers;
    std::size_t series = 0;
};

struct ChartPicture {
    ChartId id = ChartId::loss;
    QRectF plot;
    Interval x, y;
    bool log = false;
    Unit y_unit = Unit::plain;

    std::vector<PlacedTick> x_ticks, y_ticks;
    QString x_title, y_title;
    std::vector<PlacedBand> bands;  // bottom to top
    std::vector<PlacedCurve> curves;
    std::vector<double> gaps;      // pixel x of values that cannot be shown
    std::vector<double> cut_off;   // pixel x of values above the top
    QStringList notes;             // about both, in a corner
    std::optional<double> budget;  // pixel y, within the plot
    QString budget_label;
    std::vector<PlacedAnnotation> annotations;
    QString hint;  // instead of curves

    double xPixel(double value) const {
        return plot.left() + (value - x.low) / (x.high - x.low) * plot.width();
    }
    double xValue(double pixel) const {
        return x.low + (pixel - plot.left()) / plot.width() * (x.high - x.low);
    }
    double yPixel(double value) const;
    std::size_t lineCount() const;  // drawn for curves and bands
};

ChartPicture makePicture(const PictureInput& input);

// The widest label the y axis has, before there is a plot: how much room to leave beside it.
double yLabelWidth(const ChartPicture& picture, const QFont& font);

}  // namespace trainscope::ui
