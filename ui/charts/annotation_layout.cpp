// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/annotation_layout.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/chart_spec.h"

namespace trainscope::ui {
namespace {

constexpr double padding = 4;        // between text and its box
constexpr double between = 3;        // two boxes
constexpr double between_lines = 3;  // of a kind; closer ones would make a bar over the curves
constexpr double widest = 190;       // of a label's text; longer ones are elided

QString shortLabel(const Annotation& annotation) {
    const QString what = QString::fromStdString(annotation.what);
    const QString from = QString::fromStdString(annotation.from);
    const QString to = QString::fromStdString(annotation.to);
    const QString refused = annotation.refused ? QStringLiteral("✕ ") : QString();
    if (from.isEmpty() && to.isEmpty()) {
        return refused + what;
    }
    return from.isEmpty() ? QStringLiteral("%1%2 %3").arg(refused, what, to)
                          : QStringLiteral("%1%2 %3 → %4").arg(refused, what, from, to);
}

QString elided(const QString& text, const QFontMetricsF& metrics) {
    return metrics.elidedText(text, Qt::ElideRight, widest);
}

void thinOut(std::vector<PlacedAnnotation>& placed) {
    std::array<double, 2> last = {-between_lines, -between_lines};  // accepted and refused ones
    for (PlacedAnnotation& annotation : placed) {
        double& before = last.at(annotation.refused ? 1 : 0);
        annotation.line = annotation.x - before >= between_lines || !annotation.label_box.isEmpty();
        before = annotation.line ? annotation.x : before;
    }
}

}  // namespace

std::vector<PlacedAnnotation> placeAnnotations(const std::vector<Annotation>& annotations,
                                               XAxis axis, double x_low, double x_high,
                                               const QRectF& plot, double strip_height,
                                               const QFontMetricsF& metrics) {
    std::vector<PlacedAnnotation> placed;
    std::size_t shown = 0;  // index of the last one with a label
    int hidden = 0;         // behind it
    QString shown_label;
    double left_limit = plot.left();
    const auto place = [&](PlacedAnnotation& annotation, const QString& text) {
        const double width = metrics.horizontalAdvance(text) + 2 * padding;
        const double left = std::clamp(std::round(annotation.x - width / 2), plot.left(),
                                       std::max(plot.left(), plot.right() - width));
        annotation.label = text;
        annotation.label_box = {left, plot.top() - strip_height, width, strip_height - 2};
    };
    for (const Annotation& annotation : annotations) {
        const double at = xOf(annotation, axis);
        if (at < x_low || at > x_high) {
            continue;
        }
        PlacedAnnotation next;
        next.x = plot.left() + (at - x_low) / (x_high - x_low) * plot.width();
        next.refused = annotation.refused;
        next.text = QString::fromStdString(annotation.text());
        const QString label = elided(shortLabel(annotation), metrics);
        place(next, label);
        if (next.label_box.left() < left_limit && left_limit < next.x + 3) {
            next.label_box.moveLeft(left_limit);  // aside, but still at its line
        }
        if (!placed.empty() &&
            (next.label_box.left() < left_limit || next.label_box.right() > plot.right() + 0.5)) {
            // No room: the label before it says that there are more.
            next.label_box = {};
            next.label.clear();
            ++hidden;
            PlacedAnnotation& before = placed[shown];
            place(before, QStringLiteral("%1  +%2").arg(shown_label).arg(hidden));
            left_limit = std::max(left_limit, before.label_box.right() + between);
        } else {
            shown = placed.size();
            hidden = 0;
            shown_label = label;
            left_limit = next.label_box.right() + between;
        }
        placed.push_back(next);
    }
    // A label that grew by its count may reach back into the one before: keep them apart.
    double limit = plot.left();
    for (PlacedAnnotation& annotation : placed) {
        if (annotation.label_box.isEmpty()) {
            continue;
        }
        if (annotation.label_box.left() < limit) {
            annotation.label_box.moveLeft(limit);
        }
        if (annotation.label_box.right() > plot.right() + 0.5 && limit > plot.left()) {
            annotation.label_box.setRight(plot.right());
            annotation.label = metrics.elidedText(annotation.label, Qt::ElideMiddle,
                                                  annotation.label_box.width() - 2 * padding);
        }
        limit = annotation.label_box.right() + between;
    }
    thinOut(placed);
    return placed;
}

QStringList annotationsNear(const std::vector<PlacedAnnotation>& placed, double x, double reach) {
    QStringList texts;
    for (const PlacedAnnotation& annotation : placed) {
        if (std::abs(annotation.x - x) <= reach) {
            texts << annotation.text;
        }
    }
    return texts;
}

}  // namespace trainscope::ui
