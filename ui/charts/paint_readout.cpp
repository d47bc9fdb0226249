// SPDX-License-Identifier: GPL-3.0-or-later
// The crosshair and the box of values beside it.
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_layout.h"
#include "ui/charts/chart_painter.h"

namespace trainscope::ui {
namespace {

constexpr double padding = 7;
constexpr double swatch = 12;

struct BoxColumns {
    std::size_t rows = 0;  // of each column
    std::size_t count = 1;
    double name_width = 0;
    double value_width = 0;
    double width() const { return swatch + 4 + name_width + 10 + value_width; }
};

BoxColumns boxColumns(const QFontMetricsF& metrics, const std::vector<ReadoutRow>& rows,
                      double height, double heading) {
    BoxColumns columns;
    const double line = metrics.height();
    const auto fitting = static_cast<std::size_t>(
        std::max(1.0, std::floor((height - 2 * padding - 8 - heading * line) / line)));
    columns.count = rows.empty() ? 1 : (rows.size() + fitting - 1) / fitting;
    columns.rows = (rows.size() + columns.count - 1) / columns.count;
    for (const ReadoutRow& row : rows) {
        columns.name_width = std::max(columns.name_width, metrics.horizontalAdvance(row.name));
        columns.value_width = std::max(columns.value_width, metrics.horizontalAdvance(row.value));
    }
    return columns;
}

void paintSwatch(QPainter& painter, const SeriesSpec& series, const Colors& colors, double x,
                 double middle) {
    const SeriesColors& color = colors.series[series.color];
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (series.isBand()) {
        painter.setPen(QPen(color.line, 1));
        painter.setBrush(color.fill);
        painter.drawRect(QRectF(x + 1.5, middle - 4, 8, 8));
        return;
    }
    const QColor line = series.kind == SeriesKind::raw       ? color.faint
                        : series.kind == SeriesKind::ceiling ? colors.text
                                                             : color.line;
    painter.setPen(QPen(line, series.kind == SeriesKind::raw ? 1 : 2));
    painter.drawLine(QPointF(x, middle), QPointF(x + 11, middle));
    if (series.kind == SeriesKind::evaluation) {
        painter.setBrush(colors.plot);
        painter.setPen(QPen(color.line, 1.6));
        painter.drawEllipse(QPointF(x + 5.5, middle), 3, 3);
    }
}

}  // namespace

void paintReadout(QPainter& painter, const ChartPicture& p, const PaintStyle& style, double x,
                  const QString& heading, const std::vector<ReadoutRow>& rows) {
    const Colors& colors = style.colors;
    const ChartSpec& spec = chartSpec(p.id);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(colors.crosshair, 1, Qt::DashLine));
    const double at = std::floor(x) + 0.5;
    painter.drawLine(QPointF(at, p.plot.top()), QPointF(at, p.plot.bottom()));
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (const ReadoutRow& row : rows) {
        if (row.y && *row.y >= p.plot.top() && *row.y <= p.plot.bottom()) {
            painter.setPen(QPen(colors.plot, 1));
            painter.setBrush(colors.series[spec.series[row.series].color].line);
            painter.drawEllipse(QPointF(at, *row.y), 3.5, 3.5);
        }
    }
    painter.setFont(chartLabelFont(style.font));
    const QFontMetricsF metrics(painter.font());
    const double heading_lines = heading.isEmpty() ? 0 : 1;
    const BoxColumns columns = boxColumns(metrics, rows, p.plot.height(), heading_lines);
    const double line = metrics.height();
    const auto count = static_cast<double>(columns.count);
    const double width =
        std::max(count * columns.width() + (count - 1) * 14, metrics.horizontalAdvance(heading)) +
        2 * padding;
    const double height =
        (static_cast<double>(columns.rows) + heading_lines) * line + 2 * padding - 4;
    QRectF box(at + 12, p.plot.top() + 6, width, height);
    if (box.right() > p.plot.right() - 4) {
        box.moveRight(at - 12);
    }
    if (box.left() < p.plot.left() + 4) {
        box.moveLeft(p.plot.left() + 4);
    }
    painter.setPen(QPen(colors.label_frame, 1));
    painter.setBrush(colors.label_ground);
    if (rows.empty() && heading.isEmpty()) {
        return;
    }
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.setPen(colors.quiet_text);
    const double first = box.top() + padding - 2 + metrics.ascent();
    painter.drawText(QPointF(box.left() + padding, first), heading);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t column = i / columns.rows;
        const double left =
            box.left() + padding + static_cast<double>(column) * (columns.width() + 14);
        const double base = first + (static_cast<double>(i % columns.rows) + heading_lines) * line;
        paintSwatch(painter, spec.series[rows[i].series], colors, left,
                    base - metrics.capHeight() / 2);
        painter.setPen(colors.text);
        painter.drawText(QPointF(left + swatch + 4, base), rows[i].name);
        painter.drawText(
            QPointF(left + columns.width() - metrics.horizontalAdvance(rows[i].value), base),
            rows[i].value);
    }
}

}  // namespace trainscope::ui
