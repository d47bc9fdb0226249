// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic intensity against rate, both logarithmic, under the ceilings of copy and matrix
// product. A kernel below the slope waits for memory, one below the level for arithmetic, at best.
#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPolygonF>
#include <algorithm>
#include <cmath>

#include "ui/kernels/bench_paint.h"
#include "ui/kernels/bench_text.h"

namespace trainscope::ui {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("kernels", text);
}

struct Dot {
    const BenchRow* row = nullptr;
    double intensity = 0;  // operations a byte
    double rate = 0;       // operations a second
};

class Roofline {
  public:
    Roofline(QPainter& painter, const QRectF& box, const std::vector<const BenchRow*>& rows,
             const BenchPictureInput& input)
        : painter_(painter), in_(input), metrics_(painter.font()) {
        for (const BenchRow* const row : rows) {
            if (row->times && row->flops > 0 && row->bytes > 0) {
                dots_.push_back({row, row->flops / row->bytes, row->flops_per_second()});
            }
        }
        if (in_.report.ceilings) {
            slope_ = in_.report.ceilings->bytes_per_second;
            level_ = in_.report.ceilings->flops_per_second;
        }
        const double labels = metrics_.horizontalAdvance(QStringLiteral("0.0005"));
        plot_ = QRectF(box.left() + labels + metrics_.height() + 16, box.top() + 6,
                       box.width() - labels - metrics_.height() - 28,
                       std::max(20.0, box.height() - 2 * metrics_.height() - 16));
        if (!dots_.empty()) {
            findRanges();
        }
    }

    void paint() {
        if (dots_.empty()) {
            return;
        }
        const int columns = std::max(2, static_cast<int>(plot_.width() / 60));
        const int rows = std::max(2, static_cast<int>(plot_.height() / 30));
        paintBottomAxis(painter_, plot_, x_,
                        axisTicks(Unit::plain, x_.low, x_.high, true, columns, in_.locale),
                        tr(QT_TRANSLATE_NOOP("kernels", "operations a byte (FLOP/B)")), in_);
        // In 1e9, so that the labels are those of the title.
        BenchAxis shown = y_;
        shown.low *= 1e-9;
        shown.high *= 1e-9;
        paintLeftAxis(painter_, plot_, shown,
                      axisTicks(Unit::plain, shown.low, shown.high, true, rows, in_.locale),
                      tr(QT_TRANSLATE_NOOP("kernels", "GFLOP/s")), in_);
        painter_.setPen(QPen(in_.colors.frame, 1));
        painter_.setBrush(Qt::NoBrush);
        painter_.drawRect(plot_);
        paintCeilings();
        paintDots();
    }

  private:
    // Round powers of ten around the dots and the ridge, with a little room.
    void findRanges() {
        double left = dots_.front().intensity;
        double right = left;
        double low = dots_.front().rate;
        double high = std::max(low, level_);
        for (const Dot& dot : dots_) {
            left = std::min(left, dot.intensity);
            right = std::max(right, dot.intensity);
            low = std::min(low, dot.rate);
            high = std::max(high, dot.rate);
        }
        if (slope_ > 0 && level_ > 0) {
            left = std::min(left, level_ / slope_);
            right = std::max(right, level_ / slope_);
        }
        const Interval x = niceLogInterval(left / 2, right * 4);
        const Interval y = niceLogInterval(low / 2, high * 1.5);
        x_ = {x.low, x.high, plot_.left(), plot_.right(), true};
        y_ = {y.low, y.high, plot_.bottom(), plot_.top(), true};
    }

    double ceilingAt(double intensity) const {
        return level_ > 0 ? std::min(level_, slope_ * intensity) : slope_ * intensity;
    }

    void paintCeilings() {
        if (!(slope_ > 0) || !(level_ > 0)) {
            return;
        }
        const double ridge = std::clamp(level_ / slope_, x_.low, x_.high);
        painter_.save();
        painter_.setClipRect(plot_, Qt::IntersectClip);
        QPolygonF roof;
        for (const double intensity : {x_.low, ridge, x_.high}) {
            roof << QPointF(x_.pixel(intensity), y_.pixel(ceilingAt(intensity)));
        }
        painter_.setPen(QPen(in_.colors.text, 2));
        painter_.drawPolyline(roof);
        painter_.restore();
        const QString level = tr(QT_TRANSLATE_NOOP("kernels", "matrix product %1 GFLOP/s"))
                                  .arg(threeDigits(level_ * 1e-9, in_.locale));
        const double right = plot_.right() - 6;
        painter_.setPen(in_.colors.text);
        const double width = metrics_.horizontalAdvance(level);
        label(level, QPointF(right - width, y_.pixel(level_) - 5), in_.colors.text);
        const QString slope = tr(QT_TRANSLATE_NOOP("kernels", "copy %1 GB/s"))
                                  .arg(threeDigits(slope_ * 1e-9, in_.locale));
        paintSlopeLabel(slope);
    }

    // Along the slope where there is room, above it.
    void paintSlopeLabel(const QString& text) {
        const double ridge = std::min(level_ / slope_, x_.high);
        const double from = std::max(x_.low, y_.low / slope_);
        if (ridge <= from) {
            return;
        }
        const QPointF start(x_.pixel(from), y_.pixel(slope_ * from));
        const QPointF end(x_.pixel(ridge), y_.pixel(slope_ * ridge));
        const QPointF way = end - start;
        const double length = std::hypot(way.x(), way.y());
        const double width = metrics_.horizontalAdvance(text);
        if (length < width + 12) {
            return;
        }
        painter_.save();
        painter_.setClipRect(plot_, Qt::IntersectClip);
        painter_.translate((start + end) / 2);
        painter_.rotate(std::atan2(way.y(), way.x()) * 180 / M_PI);
        painter_.setPen(in_.colors.text);
        painter_.drawText(QPointF(-width / 2, -5), text);
        painter_.restore();
    }

    // Text on a ground of its own. The box that it takes is kept free.
    void label(const QString& text, QPointF baseline, const QColor& color) {
        const QRectF box(baseline.x() - 2, baseline.y() - metrics_.ascent() - 1,
                         metrics_.horizontalAdvance(text) + 4, metrics_.height() + 2);
        painter_.setPen(Qt::NoPen);
        painter_.setBrush(in_.colors.label_ground);
        painter_.drawRect(box);
        painter_.setBrush(Qt::NoBrush);
        painter_.setPen(color);
        painter_.drawText(baseline, text);
        taken_.push_back(box);
    }

    void paintDots() {
        // The highest first, so that names that give way do so downwards.
        std::sort(dots_.begin(), dots_.end(),
                  [](const Dot& a, const Dot& b) { return a.rate > b.rate; });
        for (const Dot& dot : dots_) {
            const QPointF at = placeOf(dot);
            taken_.emplace_back(at.x() - 5, at.y() - 5, 10, 10);
        }
        for (const Dot& dot : dots_) {
            paintName(dot);
        }
        for (const Dot& dot : dots_) {
            const SeriesColors& color = colorsOfPass(dot.row->pass, in_.colors);
            painter_.setPen(QPen(color.line, 1.5));
            painter_.setBrush(dot.row->trainable ? QBrush(color.fill) : QBrush(in_.colors.plot));
            const QPointF at = placeOf(dot);
            if (dot.row->pass == "backward") {
                painter_.drawRect(QRectF(at.x() - 4, at.y() - 4, 8, 8));
            } else {
                painter_.drawEllipse(at, 4.5, 4.5);
            }
        }
        painter_.setBrush(Qt::NoBrush);
    }

    QPointF placeOf(const Dot& dot) const { return {x_.pixel(dot.intensity), y_.pixel(dot.rate)}; }

    // Beside the dot, or as near to it as no other name or dot is; left out where there is no room.
    void paintName(const Dot& dot) {
        const QString name = QString::fromStdString(dot.row->variant) +
                             (dot.row->trainable ? QString() : QStringLiteral(" *"));
        const QPointF at = placeOf(dot);
        const double width = metrics_.horizontalAdvance(name) + 4;
        const double height = metrics_.height();
        for (int step = 0; step < 24; ++step) {
            const int line = step / 4;  // 0, one below, one above, two below, ...
            const int lines_away = (line + 1) / 2 * (line % 2 == 0 ? -1 : 1);
            const double away = lines_away * height;
            const double distance = step % 4 < 2 ? 9 : 30;
            const double x = step % 2 == 0 ? at.x() + distance : at.x() - distance - width;
            const QRectF box(x, at.y() - height / 2 + away, width, height);
            if (plot_.contains(box) && isFree(box)) {
                painter_.setPen(QPen(in_.colors.label_frame, 1));
                if (away != 0 || distance > 9) {
                    painter_.drawLine(
                        at, QPointF(step % 2 == 0 ? box.left() : box.right(), box.center().y()));
                }
                label(name, QPointF(box.left() + 2, box.top() + metrics_.ascent()),
                      colorsOfPass(dot.row->pass, in_.colors).line);
                return;
            }
        }
    }

    bool isFree(const QRectF& box) const {
        return std::none_of(taken_.begin(), taken_.end(),
                            [&](const QRectF& other) { return other.intersects(box); });
    }

    QPainter& painter_;
    const BenchPictureInput& in_;
    QFontMetricsF metrics_;
    std::vector<Dot> dots_;
    double slope_ = 0, level_ = 0;
    QRectF plot_;
    BenchAxis x_, y_;
    std::vector<QRectF> taken_;
};

}  // namespace

void paintRoofline(QPainter& painter, const QRectF& box, const std::vector<const BenchRow*>& rows,
                   const BenchPictureInput& input) {
    Roofline(painter, box, rows, input).paint();
}

}  // namespace trainscope::ui
