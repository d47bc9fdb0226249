// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kernels/bench_picture.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_layout.h"
#include "ui/kernels/bench_paint.h"
#include "ui/kernels/bench_text.h"

namespace trainscope::ui {

namespace {

constexpr double margin = 8;

QString hint(const BenchPictureInput& input, const std::vector<const BenchRow*>& rows) {
    if (input.report.device.kind == DeviceKind::emulated && !rows.empty()) {
        return emulationText();
    }
    for (const BenchRow* const row : rows) {
        if (row->times) {
            return {};
        }
    }
    return QCoreApplication::translate(
        "kernels", QT_TRANSLATE_NOOP("kernels", "Times are drawn here once the bench has run"));
}

void paintHint(QPainter& painter, const QRectF& box, const QString& text,
               const BenchPictureInput& input) {
    painter.setFont(input.font);
    painter.setPen(input.colors.quiet_text);
    painter.drawText(box.adjusted(margin, 0, -margin, 0), Qt::AlignCenter | Qt::TextWordWrap, text);
}

// Returns what is left under it.
QRectF paintTitle(QPainter& painter, const QRectF& box, const std::vector<const BenchRow*>& rows,
                  const BenchPictureInput& input) {
    const QFontMetricsF metrics(chartTitleFont(input.font));
    const QFontMetricsF small(chartLabelFont(input.font));
    const QRectF title(box.left() + margin, box.top() + 4, box.width() - 2 * margin,
                       metrics.height());
    painter.setFont(chartTitleFont(input.font));
    painter.setPen(input.colors.text);
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(itemText(*rows.front()), Qt::ElideRight, title.width()));
    const QRectF legend(title.left(), title.bottom() + 2, title.width(), small.height());
    painter.setFont(chartLabelFont(input.font));
    painter.setPen(input.colors.quiet_text);
    const QString device = QString::fromStdString(input.report.device.description);
    painter.drawText(legend, Qt::AlignLeft | Qt::AlignVCenter,
                     small.elidedText(device, Qt::ElideRight, legend.width() * 0.55));
    paintPassLegend(painter, legend, rows, input);
    return {box.left(), legend.bottom() + 4, box.width(), box.bottom() - legend.bottom() - 4};
}

double onPixel(double at) {
    return std::floor(at) + 0.5;
}

void line(QPainter& painter, const QColor& color, QPointF from, QPointF to) {
    painter.setPen(QPen(color, 1));
    painter.drawLine(from, to);
}

}  // namespace

double BenchAxis::pixel(double value) const {
    const double share =
        log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return first + share * (last - first);
}

std::vector<const BenchRow*> rowsRun(const BenchReport& report, std::size_t item) {
    std::vector<const BenchRow*> rows;
    for (const BenchRow& row : report.rows) {
        if (item < report.rows.size() && row.refusal.empty() && sameItem(row, report.rows[item])) {
            rows.push_back(&row);
        }
    }
    return rows;
}

const SeriesColors& colorsOfPass(const std::string& pass, const Colors& colors) {
    return colors.series[pass == "backward" ? 1 : 0];
}

void paintPassLegend(QPainter& painter, const QRectF& box, const std::vector<const BenchRow*>& rows,
                     const BenchPictureInput& input) {
    std::vector<std::string> passes;
    for (const BenchRow* const row : rows) {
        if (std::find(passes.begin(), passes.end(), row->pass) == passes.end()) {
            passes.push_back(row->pass);
        }
    }
    if (passes.size() < 2) {
        return;
    }
    const QFontMetricsF metrics(painter.font());
    const double side = metrics.capHeight();
    double right = box.right();
    for (auto pass = passes.rbegin(); pass != passes.rend(); ++pass) {
        const QString name = passText(*pass);
        const double width = metrics.horizontalAdvance(name);
        painter.setPen(input.colors.text);
        painter.drawText(QRectF(right - width, box.top(), width + 1, box.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, name);
        const SeriesColors& color = colorsOfPass(*pass, input.colors);
        const QRectF mark(right - width - side - 5, box.center().y() - side / 2, side, side);
        painter.setPen(color.line);
        painter.setBrush(color.fill);
        painter.drawRect(mark);
        painter.setBrush(Qt::NoBrush);
        right = mark.left() - 12;
    }
}

void paintBottomAxis(QPainter& painter, const QRectF& plot, const BenchAxis& axis,
                     const AxisTicks& ticks, const QString& title, const BenchPictureInput& input) {
    const QFontMetricsF metrics(painter.font());
    double free_from = plot.left() - 40;
    for (const AxisTick& tick : ticks.ticks) {
        const double x = onPixel(axis.pixel(tick.value));
        line(painter, tick.label.isEmpty() ? input.colors.grid_minor : input.colors.grid,
             {x, plot.top()}, {x, plot.bottom()});
        line(painter, input.colors.frame, {x, plot.bottom()},
             {x, plot.bottom() + (tick.label.isEmpty() ? 2 : 4)});
        const double width = metrics.horizontalAdvance(tick.label);
        const double left = std::min(x - width / 2, plot.right() + 6 - width);
        if (tick.label.isEmpty() || left < free_from) {
            continue;
        }
        painter.setPen(input.colors.quiet_text);
        painter.drawText(QPointF(left, plot.bottom() + 6 + metrics.ascent()), tick.label);
        free_from = left + width + 6;
    }
    painter.setPen(input.colors.quiet_text);
    painter.drawText(
        QRectF(plot.left(), plot.bottom() + 6 + metrics.height(), plot.width(), metrics.height()),
        Qt::AlignCenter, metrics.elidedText(title, Qt::ElideRight, plot.width()));
}

void paintLeftAxis(QPainter& painter, const QRectF& plot, const BenchAxis& axis,
                   const AxisTicks& ticks, const QString& title, const BenchPictureInput& input) {
    const QFontMetricsF metrics(painter.font());
    for (const AxisTick& tick : ticks.ticks) {
        const double y = onPixel(axis.pixel(tick.value));
        line(painter, tick.label.isEmpty() ? input.colors.grid_minor : input.colors.grid,
             {plot.left(), y}, {plot.right(), y});
        line(painter, input.colors.frame, {plot.left() - (tick.label.isEmpty() ? 2 : 4), y},
             {plot.left(), y});
        painter.setPen(input.colors.quiet_text);
        painter.drawText(QPointF(plot.left() - 7 - metrics.horizontalAdvance(tick.label),
                                 y + metrics.capHeight() / 2),
                         tick.label);
    }
    painter.save();
    painter.setPen(input.colors.quiet_text);
    painter.translate(margin / 2 + metrics.ascent(), plot.center().y());
    painter.rotate(-90);
    const QString fitting = metrics.elidedText(title, Qt::ElideRight, plot.height());
    painter.drawText(QPointF(-metrics.horizontalAdvance(fitting) / 2, 0), fitting);
    painter.restore();
}

void paintBenchPicture(QPainter& painter, const QRectF& box, BenchPicture picture,
                       const BenchPictureInput& input) {
    painter.save();
    painter.fillRect(box, input.colors.plot);
    painter.setClipRect(box);
    painter.setRenderHint(QPainter::Antialiasing, true);
    const std::vector<const BenchRow*> rows = rowsRun(input.report, input.item);
    if (const QString text = hint(input, rows); !text.isEmpty()) {
        paintHint(painter, box, text, input);
    } else {
        const QRectF rest = paintTitle(painter, box, rows, input);
        painter.setFont(chartLabelFont(input.font));
        (picture == BenchPicture::times ? paintTimes : paintRoofline)(painter, rest, rows, input);
    }
    painter.restore();
}

}  // namespace trainscope::ui
