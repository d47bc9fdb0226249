// SPDX-License-Identifier: GPL-3.0-or-later
// The layer of the curves: bands, lines, markers. Only drawLines and drawPolygon, which are fast.
#include <QPaintEngine>
#include <QPainterPath>
#include <algorithm>

#include "ui/charts/chart_layout.h"
#include "ui/charts/chart_painter.h"

namespace trainscope::ui {
namespace {

// In files of lines a curve is one path: smaller, and easier to edit.
void drawPath(QPainter& painter, const std::vector<QLineF>& lines, const QPen& pen) {
    QPainterPath path;
    for (const QLineF& line : lines) {
        if (path.isEmpty() || path.currentPosition() != line.p1()) {
            path.moveTo(line.p1());
        }
        path.lineTo(line.p2());
    }
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
}

void drawLines(QPainter& painter, const std::vector<QLineF>& lines, const QColor& color,
               double width, bool smooth) {
    const QPaintEngine::Type engine = painter.paintEngine()->type();
    if (engine == QPaintEngine::SVG || engine == QPaintEngine::Pdf) {
        drawPath(painter, lines, QPen(color, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing, smooth);
    painter.setPen(QPen(color, width, Qt::SolidLine, Qt::SquareCap));
    painter.drawLines(lines.data(), static_cast<int>(lines.size()));
}

void paintBands(QPainter& painter, const ChartPicture& picture, const PaintStyle& style) {
    const ChartSpec& spec = chartSpec(picture.id);
    // From the top of the stack down: each band is painted to the axis, the next one over it.
    for (auto band = picture.bands.rbegin(); band != picture.bands.rend(); ++band) {
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(Qt::NoPen);
        painter.setBrush(style.colors.series[spec.series[band->series].color].fill);
        painter.drawPolygon(band->area);
    }
    for (const PlacedBand& band : picture.bands) {
        drawLines(painter, band.edge, style.colors.series[spec.series[band.series].color].line, 1,
                  true);
    }
    painter.setFont(chartLabelFont(style.font));
    const QFontMetricsF metrics(painter.font());
    for (const PlacedBand& band : picture.bands) {
        if (!band.name.isEmpty()) {
            painter.setPen(style.colors.series[spec.series[band.series].color].on_fill);
            painter.drawText(
                QPointF(band.name_center.x() - metrics.horizontalAdvance(band.name) / 2,
                        band.name_center.y() + metrics.capHeight() / 2),
                band.name);
        }
    }
}

void paintMarkers(QPainter& painter, const PlacedCurve& curve, const QColor& color,
                  const QColor& ground) {
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(color, 1.6));
    painter.setBrush(ground);
    for (const QPointF& at : curve.markers) {
        painter.drawEllipse(at, 3.2, 3.2);
    }
}

}  // namespace

void paintCurves(QPainter& painter, const ChartPicture& picture, const PaintStyle& style) {
    painter.save();
    painter.setClipRect(picture.plot.adjusted(0, 0, 1, 1));
    paintBands(painter, picture, style);
    const ChartSpec& spec = chartSpec(picture.id);
    for (const PlacedCurve& curve : picture.curves) {
        const SeriesSpec& series = spec.series[curve.series];
        const SeriesColors& color = style.colors.series[series.color];
        switch (series.kind) {
            case SeriesKind::raw:
                drawLines(painter, curve.lines, color.faint, 1, false);
                break;
            case SeriesKind::ceiling:
                drawLines(painter, curve.lines, style.colors.text, 1.5, false);
                break;
            default:
                drawLines(painter, curve.lines, color.line, 2, true);
        }
    }
    painter.restore();
    for (const PlacedCurve& curve : picture.curves) {  // whole ones, also on the frame
        paintMarkers(painter, curve, style.colors.series[spec.series[curve.series].color].line,
                     style.colors.plot);
    }
}

}  // namespace trainscope::ui
