// SPDX-License-Identifier: GPL-3.0-or-later
// Bars of the median times from 0, with whiskers from the lower to the upper quartile.
#include <QCoreApplication>
#include <QFontMetricsF>
#include <algorithm>

#include "ui/kernels/bench_paint.h"
#include "ui/kernels/bench_text.h"

namespace trainscope::ui {

namespace {

// The bars of one variant, one below the other.
struct Group {
    QString name;
    bool trainable = true;
    std::vector<const BenchRow*> bars;
};

std::vector<Group> groupsOf(const std::vector<const BenchRow*>& rows) {
    std::vector<Group> groups;
    for (const BenchRow* const row : rows) {
        if (!row->times) {
            continue;
        }
        const QString name = QString::fromStdString(row->variant);
        auto group = std::find_if(groups.begin(), groups.end(),
                                  [&](const Group& known) { return known.name == name; });
        if (group == groups.end()) {
            groups.push_back({name, row->trainable, {}});
            group = groups.end() - 1;
        }
        group->bars.push_back(row);
    }
    return groups;
}

class Bars {
  public:
    Bars(QPainter& painter, const QRectF& box, std::vector<Group> groups,
         const BenchPictureInput& input)
        : painter_(painter), groups_(std::move(groups)), in_(input), metrics_(painter.font()) {
        double names = 0;
        double values = 0;
        for (const Group& group : groups_) {
            names = std::max(names, metrics_.horizontalAdvance(nameOf(group)));
            for (const BenchRow* const row : group.bars) {
                longest_ = std::max(longest_, row->times->upper_quartile);
                values = std::max(values, metrics_.horizontalAdvance(valueOf(*row)));
            }
        }
        names = std::min(names, box.width() * 0.35);
        const double below = 2 * metrics_.height() + 10;
        plot_ = QRectF(box.left() + names + 16, box.top() + 2, box.width() - names - 26,
                       std::max(20.0, box.height() - below - 6));
        // So that the longest bar leaves room for its text.
        const double room = std::max(plot_.width() * 0.3, plot_.width() - values - 14);
        axis_ = {.low = 0,
                 .high = longest_ * plot_.width() / room,
                 .first = plot_.left(),
                 .last = plot_.right()};
    }

    void paint() {
        const AxisTicks ticks =
            axisTicks(Unit::seconds, 0, axis_.high, false,
                      std::max(2, static_cast<int>(plot_.width() / 80)), in_.locale);
        const QString title =
            QCoreApplication::translate(
                "kernels", QT_TRANSLATE_NOOP("kernels", "median time and quartiles (%1)"))
                .arg(ticks.unit);
        paintBottomAxis(painter_, plot_, axis_, ticks, title, in_);
        double height = 0;  // in bars; half of one between two variants
        for (const Group& group : groups_) {
            height += static_cast<double>(group.bars.size()) + 0.5;
        }
        bar_ = std::min(plot_.height() / height, metrics_.height() * 1.6);
        double top = plot_.top() + bar_ / 4;
        for (const Group& group : groups_) {
            paintGroup(group, top);
            top += bar_ * (static_cast<double>(group.bars.size()) + 0.5);
        }
        painter_.setPen(QPen(in_.colors.frame, 1));
        painter_.setBrush(Qt::NoBrush);
        painter_.drawLine(plot_.topLeft(), plot_.bottomLeft());
    }

  private:
    static QString nameOf(const Group& group) {
        return group.trainable ? group.name : group.name + QStringLiteral(" *");
    }
    QString valueOf(const BenchRow& row) const {
        const bool wrong = row.error && !row.error->within_bound();
        return timeText(row.times->median, in_.locale) +
               (wrong ? QStringLiteral("  ") +
                            QCoreApplication::translate(
                                "kernels", QT_TRANSLATE_NOOP("kernels", "wrong: error %1"))
                                .arg(errorText(*row.error))
                      : QString());
    }

    void paintGroup(const Group& group, double top) {
        const double height = bar_ * static_cast<double>(group.bars.size());
        painter_.setPen(in_.colors.text);
        const double width = plot_.left() - 14;
        painter_.drawText(QRectF(6, top, width, height), Qt::AlignRight | Qt::AlignVCenter,
                          metrics_.elidedText(nameOf(group), Qt::ElideRight, width));
        for (const BenchRow* const row : group.bars) {
            paintBar(*row, top);
            top += bar_;
        }
    }

    void paintBar(const BenchRow& row, double top) {
        const SeriesColors& color = colorsOfPass(row.pass, in_.colors);
        const double median = axis_.pixel(row.times->median);
        const double middle = top + bar_ / 2;
        painter_.setPen(QPen(color.line, 1));
        painter_.setBrush(row.trainable ? QBrush(color.fill)
                                        : QBrush(color.line, Qt::BDiagPattern));
        painter_.drawRect(
            QRectF(plot_.left(), top + bar_ * 0.12, median - plot_.left(), bar_ * 0.76));
        const double low = axis_.pixel(row.times->lower_quartile);
        const double high = axis_.pixel(row.times->upper_quartile);
        const double cap = bar_ * 0.2;
        painter_.setPen(QPen(in_.colors.text, 1.5));
        painter_.drawLine(QPointF(low, middle), QPointF(high, middle));
        for (const double end : {low, high}) {
            painter_.drawLine(QPointF(end, middle - cap), QPointF(end, middle + cap));
        }
        const bool wrong = row.error && !row.error->within_bound();
        painter_.setPen(wrong ? in_.colors.error_text : in_.colors.quiet_text);
        painter_.drawText(QPointF(std::max(high, median) + 7, middle + metrics_.capHeight() / 2),
                          valueOf(row));
    }

    QPainter& painter_;
    std::vector<Group> groups_;
    const BenchPictureInput& in_;
    QFontMetricsF metrics_;
    QRectF plot_;
    BenchAxis axis_;
    double longest_ = 0;
    double bar_ = 0;
};

}  // namespace

void paintTimes(QPainter& painter, const QRectF& box, const std::vector<const BenchRow*>& rows,
                const BenchPictureInput& input) {
    Bars(painter, box, groupsOf(rows), input).paint();
}

}  // namespace trainscope::ui
