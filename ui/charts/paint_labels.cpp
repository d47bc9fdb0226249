// SPDX-License-Identifier: GPL-3.0-or-later
// The layers around and over the curves: grid, ticks, titles, annotations, budget, notes.
#include <QFontMetricsF>
#include <cmath>

#include "ui/charts/chart_layout.h"
#include "ui/charts/chart_painter.h"

namespace trainscope::ui {
namespace {

// Lines of one pixel lie on pixels.
double onPixel(double at) {
    return std::floor(at) + 0.5;
}

void setLine(QPainter& painter, const QColor& color, double width = 1,
             Qt::PenStyle style = Qt::SolidLine) {
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(color, width, style, Qt::FlatCap));
    painter.setBrush(Qt::NoBrush);
}

void paintTicks(QPainter& painter, const ChartPicture& p, const PaintStyle& style) {
    const QFontMetricsF metrics(painter.font());
    const QRectF& plot = p.plot;
    for (const PlacedTick& tick : p.y_ticks) {
        const double y = onPixel(tick.at);
        const double length = tick.label.isEmpty() ? 2 : 4;
        setLine(painter, style.colors.frame);
        painter.drawLine(QPointF(plot.left() - length, y), QPointF(plot.left(), y));
        painter.setPen(style.colors.quiet_text);
        const double width = metrics.horizontalAdvance(tick.label);
        painter.drawText(QPointF(plot.left() - 7 - width, tick.at + metrics.capHeight() / 2),
                         tick.label);
    }
    double free_from = 0;
    for (const PlacedTick& tick : p.x_ticks) {
        setLine(painter, style.colors.frame);
        painter.drawLine(QPointF(onPixel(tick.at), plot.bottom()),
                         QPointF(onPixel(tick.at), plot.bottom() + 4));
        const double width = metrics.horizontalAdvance(tick.label);
        const double left = tick.at - width / 2;
        if (!style.x_labels || left < free_from) {
            continue;
        }
        painter.setPen(style.colors.quiet_text);
        painter.drawText(QPointF(left, plot.bottom() + 6 + metrics.ascent()), tick.label);
        free_from = left + width + 8;
    }
}

void paintTitles(QPainter& painter, const ChartPicture& p, const PaintStyle& style) {
    const QFontMetricsF metrics(painter.font());
    painter.setPen(style.colors.quiet_text);
    if (style.x_labels) {
        painter.drawText(QPointF(p.plot.center().x() - metrics.horizontalAdvance(p.x_title) / 2,
                                 p.plot.bottom() + 7 + metrics.height() + metrics.ascent()),
                         p.x_title);
    }
    painter.save();
    painter.translate(6 + metrics.ascent(), p.plot.center().y());
    painter.rotate(-90);
    painter.drawText(QPointF(-metrics.horizontalAdvance(p.y_title) / 2, 0), p.y_title);
    painter.restore();
    painter.save();
    painter.setFont(chartTitleFont(style.font));
    painter.setPen(style.colors.text);
    painter.drawText(style.title_box, Qt::AlignLeft | Qt::AlignVCenter, style.title);
    painter.restore();
}

void paintAnnotations(QPainter& painter, const ChartPicture& p, const PaintStyle& style) {
    for (const PlacedAnnotation& annotation : p.annotations) {
        if (!annotation.line) {
            continue;
        }
        const QColor& color = annotation.bad ? style.colors.refused : style.colors.annotation;
        setLine(painter, color, 1, annotation.bad ? Qt::DashLine : Qt::SolidLine);
        const double x = onPixel(annotation.x);
        const double top =
            annotation.label_box.isEmpty() ? p.plot.top() : annotation.label_box.bottom();
        painter.drawLine(QPointF(x, top), QPointF(x, p.plot.bottom()));
    }
    for (const PlacedAnnotation& annotation : p.annotations) {
        if (annotation.label_box.isEmpty()) {
            continue;
        }
        const QColor& color = annotation.bad ? style.colors.refused : style.colors.annotation;
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(QPen(annotation.bad ? color : style.colors.label_frame, 1));
        painter.setBrush(style.colors.plot);
        painter.drawRoundedRect(annotation.label_box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        painter.setPen(annotation.bad ? style.colors.refused : style.colors.text);
        painter.drawText(annotation.label_box, Qt::AlignCenter, annotation.label);
    }
}

// Text over curves stands on a ground of its own.
void paintNote(QPainter& painter, const QRectF& box, const QString& text, const QColor& color,
               const PaintStyle& style) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(style.colors.label_ground);
    painter.drawRect(box);
    painter.setPen(color);
    painter.drawText(box, Qt::AlignCenter, text);
}

void paintBudget(QPainter& painter, const ChartPicture& p, const PaintStyle& style) {
    if (p.budget_label.isEmpty()) {
        return;
    }
    const QFontMetricsF metrics(painter.font());
    const double width = metrics.horizontalAdvance(p.budget_label) + 8;
    double top = p.plot.top() + 3;
    if (p.budget) {
        setLine(painter, style.colors.budget, 2, Qt::DashLine);
        painter.drawLine(QPointF(p.plot.left(), std::round(*p.budget)),
                         QPointF(p.plot.right(), std::round(*p.budget)));
        top = *p.budget + 3;
        if (top + metrics.height() > p.plot.bottom()) {
            top = *p.budget - metrics.height() - 3;
        }
    }
    paintNote(painter, {p.plot.left() + 6, top, width, metrics.height()}, p.budget_label,
              style.colors.budget, style);
}

void paintGaps(QPainter& painter, const ChartPicture& p, const PaintStyle& style) {
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(style.colors.gap, 1.5));
    for (const double x : p.gaps) {
        const QPointF at(x, p.plot.bottom() - 6);
        painter.drawLine(at + QPointF(-3, -3), at + QPointF(3, 3));
        painter.drawLine(at + QPointF(-3, 3), at + QPointF(3, -3));
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(style.colors.quiet_text);
    for (const double x : p.cut_off) {
        painter.drawPolygon(
            QPolygonF({QPointF(x, p.plot.top() + 1), QPointF(x - 4, p.plot.top() + 7),
                       QPointF(x + 4, p.plot.top() + 7)}));
    }
    const QFontMetricsF metrics(painter.font());
    double top = p.plot.top() + (p.cut_off.empty() ? 4 : 9);
    for (const QString& note : p.notes) {
        const double width = metrics.horizontalAdvance(note) + 8;
        paintNote(painter, {p.plot.right() - width - 4, top, width, metrics.height()}, note,
                  style.colors.quiet_text, style);
        top += metrics.height() + 2;
    }
}

}  // namespace

void paintGrid(QPainter& painter, const ChartPicture& p, const PaintStyle& style) {
    const QRectF& plot = p.plot;
    painter.fillRect(plot, style.colors.plot);
    for (const PlacedTick& tick : p.x_ticks) {
        setLine(painter, style.colors.grid_minor);
        painter.drawLine(QPointF(onPixel(tick.at), plot.top()),
                         QPointF(onPixel(tick.at), plot.bottom()));
    }
    for (const PlacedTick& tick : p.y_ticks) {
        setLine(painter, tick.label.isEmpty() ? style.colors.grid_minor : style.colors.grid);
        painter.drawLine(QPointF(plot.left(), onPixel(tick.at)),
                         QPointF(plot.right(), onPixel(tick.at)));
    }
}

void paintLabels(QPainter& painter, const ChartPicture& p, const PaintStyle& style) {
    painter.setFont(chartLabelFont(style.font));
    setLine(painter, style.colors.frame);
    painter.drawRect(QRectF(onPixel(p.plot.left()) - 1, onPixel(p.plot.top()) - 1,
                            p.plot.width() + 1, p.plot.height() + 1));
    paintTicks(painter, p, style);
    paintTitles(painter, p, style);
    paintAnnotations(painter, p, style);
    paintBudget(painter, p, style);
    paintGaps(painter, p, style);
    if (!p.hint.isEmpty()) {
        painter.setFont(style.font);
        QRectF box = QFontMetricsF(style.font)
                         .boundingRect(p.plot.adjusted(10, 0, -10, 0),
                                       Qt::AlignCenter | Qt::TextWordWrap, p.hint);
        painter.fillRect(box.adjusted(-6, -2, 6, 2), style.colors.plot);
        painter.setPen(style.colors.quiet_text);
        painter.drawText(box.adjusted(-2, 0, 2, 0), Qt::AlignCenter | Qt::TextWordWrap, p.hint);
    }
}

}  // namespace trainscope::ui
