// SPDX-License-Identifier: GPL-3.0-or-later
// Where the parts of a chart stand: title, legend, labels, plot.
#pragma once

#include <QFont>
#include <QRectF>
#include <QSizeF>

namespace trainscope::ui {

QFont chartTitleFont(const QFont& base);
QFont chartLabelFont(const QFont& base);  // ticks, axis titles, annotations

// Height of the strip above the plot that holds the labels of annotations.
double annotationStrip(const QFont& label_font);

struct LayoutInput {
    QSizeF size;
    QFont font;                // of the program
    double y_labels = 30;      // width of the widest label
    bool x_labels = true;      // false: another chart below has them
    bool annotations = false;  // leaves the strip
    double legend_rows = 1;
    double legend_row_height = 22;
};

struct ChartLayout {
    QRectF title;
    double header_bottom = 0;
    QRectF plot;
};

ChartLayout layOut(const LayoutInput& input);

// What layOut leaves left of the plot for labels of that width.
double leftMargin(double y_labels, const QFont& font);

}  // namespace trainscope::ui
