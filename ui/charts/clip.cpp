// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/clip.h"

#include <algorithm>

namespace trainscope::ui {

// Liang and Barsky (1984): the part of the line between its entry into and exit from each side.
std::optional<QLineF> clipped(const QLineF& line, const QRectF& box) {
    if (box.contains(line.p1()) && box.contains(line.p2())) {
        return line;
    }
    double from = 0;
    double to = 1;
    const auto cut = [&](double delta, double distance) {
        if (delta == 0) {
            return distance >= 0;
        }
        const double at = distance / delta;
        if (delta < 0) {
            from = std::max(from, at);
        } else {
            to = std::min(to, at);
        }
        return from <= to;
    };
    if (!cut(-line.dx(), line.x1() - box.left()) || !cut(line.dx(), box.right() - line.x1()) ||
        !cut(-line.dy(), line.y1() - box.top()) || !cut(line.dy(), box.bottom() - line.y1())) {
        return std::nullopt;
    }
    return QLineF(line.pointAt(from), line.pointAt(to));
}

std::vector<QPointF> clippedEdge(const std::vector<QPointF>& edge, const QRectF& box) {
    std::vector<QPointF> result;
    const auto add = [&](QPointF point) {
        point.setY(std::clamp(point.y(), box.top(), box.bottom()));
        result.push_back(point);
    };
    const auto crossing = [](const QPointF& a, const QPointF& b, double x) {
        return QPointF(x, a.y() + (b.y() - a.y()) * (x - a.x()) / (b.x() - a.x()));
    };
    for (std::size_t i = 0; i < edge.size(); ++i) {
        for (const double side : {box.left(), box.right()}) {
            if (i > 0 && edge[i - 1].x() < side && edge[i].x() > side) {
                add(crossing(edge[i - 1], edge[i], side));
            }
        }
        if (edge[i].x() >= box.left() && edge[i].x() <= box.right()) {
            add(edge[i]);
        }
    }
    return result;
}

}  // namespace trainscope::ui
