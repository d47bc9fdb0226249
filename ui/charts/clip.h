// SPDX-License-Identifier: GPL-3.0-or-later
// Lines cut at the edges of the plot. SVG files know no clipping of a painter, so what goes beyond
// must not be there.
#pragma once

#include <QLineF>
#include <QPointF>
#include <QRectF>
#include <optional>
#include <vector>

namespace trainscope::ui {

// nullopt: outside.
std::optional<QLineF> clipped(const QLineF& line, const QRectF& box);

// The upper edge of a band, left to right: cut at both sides, and flat where it goes above or
// below.
std::vector<QPointF> clippedEdge(const std::vector<QPointF>& edge, const QRectF& box);

}  // namespace trainscope::ui
