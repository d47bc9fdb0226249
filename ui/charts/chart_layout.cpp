// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_layout.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

namespace trainscope::ui {
namespace {

constexpr double right_margin = 24;  // half of the last tick's label
constexpr double edge = 6;
constexpr double tick = 7;  // mark and gap between axis and label

}  // namespace

QFont chartTitleFont(const QFont& base) {
    QFont font = base;
    font.setBold(true);
    return font;
}

QFont chartLabelFont(const QFont& base) {
    QFont font = base;
    if (base.pixelSize() > 0) {
        font.setPixelSize(static_cast<int>(std::lround(base.pixelSize() * 0.9)));
    } else {
        font.setPointSizeF(base.pointSizeF() * 0.9);
    }
    return font;
}

double annotationStrip(const QFont& label_font) {
    return std::ceil(QFontMetricsF(label_font).height()) + 4;
}

double leftMargin(double y_labels, const QFont& font) {
    const double title = QFontMetricsF(chartLabelFont(font)).height();
    // In steps, so that the plot does not shift with every new digit.
    return edge + title + 4 + std::ceil(y_labels / 6) * 6 + tick;
}

ChartLayout layOut(const LayoutInput& input) {
    const QFontMetricsF labels(chartLabelFont(input.font));
    const QFontMetricsF title(chartTitleFont(input.font));
    ChartLayout layout;
    const double left = leftMargin(input.y_labels, input.font);
    layout.title = {edge, 3, input.size.width() - 2 * edge, std::ceil(title.height()) + 2};
    layout.header_bottom =
        std::max(layout.title.bottom(), 2 + input.legend_rows * input.legend_row_height) + 2;
    const double top = layout.header_bottom +
                       (input.annotations ? annotationStrip(chartLabelFont(input.font)) : 0) + 1;
    const double bottom = input.x_labels ? tick + 2 * std::ceil(labels.height()) + 4 : tick + 1;
    layout.plot = QRectF(std::round(left), std::round(top),
                         std::max(20.0, std::floor(input.size.width() - left - right_margin)),
                         std::max(10.0, std::floor(input.size.height() - top - bottom)));
    return layout;
}

}  // namespace trainscope::ui
