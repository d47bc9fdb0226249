// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/annotation_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ui/charts/chart_spec.h"

namespace trainscope::ui {
namespace {

constexpr double padding = 4;        // between text and its box
constexpr double between = 3;        // two boxes
constexpr double between_lines = 3;  // of a kind; closer ones would make a bar over the curves
constexpr double widest = 190;       // of a label's text; longer ones are elided

bool isBad(const Annotation& annotation) {
    return annotation.refused || annotation.kind == AnnotationKind::error;
}

QString shortLabel(const Annotation& annotation) {
    const QString what = QString::fromStdString(annotation.what);
    const QString from = QString::fromStdString(annotation.from);
    const QString to = QString::fromStdString(annotation.to);
    const QString mark = isBad(annotation) ? QStringLiteral("✕ ") : QString();
    if (from.isEmpty() && to.isEmpty()) {
        return mark + what;
    }
    return from.isEmpty() ? QStringLiteral("%1%2 %3").arg(mark, what, to)
                          : QStringLiteral("%1%2 %3 → %4").arg(mark, what, from, to);
}

void thinOut(std::vector<PlacedAnnotation>& placed) {
    std::array<double, 2> last = {-between_lines, -between_lines};  // accepted and refused ones
    for (PlacedAnnotation& annotation : placed) {
        double& before = last.at(annotation.bad ? 1 : 0);
        annotation.line = annotation.x - before >= between_lines || !annotation.label_box.isEmpty();
        before = annotation.line ? annotation.x : before;
    }
}

// Takes annotations from left to right. One without room for its label is counted by the label
// before it.
class Placement {
  public:
    Placement(const QRectF& plot, double strip_height, const QFontMetricsF& metrics)
        : plot_(plot), strip_height_(strip_height), metrics_(metrics), left_limit_(plot.left()) {}

    void add(const Annotation& annotation, double x);
    std::vector<PlacedAnnotation> finish() &&;

  private:
    void setLabel(PlacedAnnotation& annotation, const QString& text) const;
    bool hasRoom(const PlacedAnnotation& annotation) const;
    void countHidden();

    const QRectF plot_;
    const double strip_height_;
    const QFontMetricsF& metrics_;
    std::vector<PlacedAnnotation> placed_;
    std::size_t shown_ = 0;  // index of the last one with a label
    int hidden_ = 0;         // behind it
    QString shown_label_;
    double left_limit_;
};

void Placement::setLabel(PlacedAnnotation& annotation, const QString& text) const {
    const double width = metrics_.horizontalAdvance(text) + 2 * padding;
    const double left = std::clamp(std::round(annotation.x - width / 2), plot_.left(),
                                   std::max(plot_.left(), plot_.right() - width));
    annotation.label = text;
    annotation.label_box = {left, plot_.top() - strip_height_, width, strip_height_ - 2};
}

bool Placement::hasRoom(const PlacedAnnotation& annotation) const {
    return placed_.empty() || (annotation.label_box.left() >= left_limit_ &&
                               annotation.label_box.right() <= plot_.right() + 0.5);
}

void Placement::add(const Annotation& annotation, double x) {
    PlacedAnnotation next;
    next.x = x;
    next.bad = isBad(annotation);
    next.text = QString::fromStdString(annotation.text());
    const QString label = metrics_.elidedText(shortLabel(annotation), Qt::ElideRight, widest);
    setLabel(next, label);
    if (next.label_box.left() < left_limit_ && left_limit_ < next.x + 3) {
        next.label_box.moveLeft(left_limit_);  // aside, but still at its line
    }
    if (hasRoom(next)) {
        shown_ = placed_.size();
        hidden_ = 0;
        shown_label_ = label;
        left_limit_ = next.label_box.right() + between;
    } else {
        next.label_box = {};
        next.label.clear();
        countHidden();
    }
    placed_.push_back(next);
}

void Placement::countHidden() {
    ++hidden_;
    PlacedAnnotation& before = placed_[shown_];
    setLabel(before, QStringLiteral("%1  +%2").arg(shown_label_).arg(hidden_));
    left_limit_ = std::max(left_limit_, before.label_box.right() + between);
}

std::vector<PlacedAnnotation> Placement::finish() && {
    // A label that grew by its count may reach back into the one before: keep them apart.
    double limit = plot_.left();
    for (PlacedAnnotation& annotation : placed_) {
        if (annotation.label_box.isEmpty()) {
            continue;
        }
        if (annotation.label_box.left() < limit) {
            annotation.label_box.moveLeft(limit);
        }
        if (annotation.label_box.right() > plot_.right() + 0.5 && limit > plot_.left()) {
            annotation.label_box.setRight(plot_.right());
            annotation.label = metrics_.elidedText(annotation.label, Qt::ElideMiddle,
                                                   annotation.label_box.width() - 2 * padding);
        }
        limit = annotation.label_box.right() + between;
    }
    thinOut(placed_);
    return std::move(placed_);
}

}  // namespace

std::vector<PlacedAnnotation> placeAnnotations(const std::vector<Annotation>& annotations,
                                               XAxis axis, double x_low, double x_high,
                                               const QRectF& plot, double strip_height,
                                               const QFontMetricsF& metrics) {
    Placement placement(plot, strip_height, metrics);
    for (const Annotation& annotation : annotations) {
        const double at = xOf(annotation, axis);
        if (at >= x_low && at <= x_high) {
            placement.add(annotation, plot.left() + (at - x_low) / (x_high - x_low) * plot.width());
        }
    }
    return std::move(placement).finish();
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
