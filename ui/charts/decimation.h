// SPDX-License-Identifier: GPL-3.0-or-later
// From any number of points to a few lines a pixel column that look the same: first, smallest,
// largest and last value of each column are kept (M4: Jugel et al., VLDB 2014).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/core/column.h"
#include "ui/charts/pyramid.h"

namespace trainscope::ui {

// The part of the x axis that is shown, and over how many pixel columns.
struct ColumnView {
    double x_min = 0;
    double x_max = 1;
    std::size_t columns = 1;

    double pixel(double x) const {
        return (x - x_min) / (x_max - x_min) * static_cast<double>(columns);
    }
    double edge(std::size_t column) const {  // x at the left edge of a pixel column
        return x_min + (x_max - x_min) * static_cast<double>(column) / static_cast<double>(columns);
    }
};

// x in pixels from the left of the view, y a value of the series.
struct Stroke {
    double x0, y0, x1, y1;
};
struct CurvePoint {
    double x, y;
};

struct Curve {
    std::vector<Stroke> strokes;
    std::vector<double> gaps;     // pixel x of values that cannot be shown, at most one a column
    std::uint64_t not_shown = 0;  // how many such values are in view
};

struct SeriesView {
    const Column<double>& x;
    const Column<double>& values;
    const Pyramid& pyramid;  // of the values
    std::size_t count = 0;   // points; pyramid.size() at most
    bool log = false;        // values of zero and below cannot be shown either
};

// At most 2 strokes a column, or one a point where points are few.
Curve decimate(const SeriesView& series, const ColumnView& view);

// The upper edge of a filled series, left to right: the largest value of each column, or the points
// themselves where they are few. A value that cannot be shown is left out. Appends what lies just
// outside on both sides.
std::vector<CurvePoint> upperEdge(const SeriesView& series, const ColumnView& view);

// Indices of the points in view and one more on each side, so that curves run to the edge.
struct IndexRange {
    std::size_t begin = 0;
    std::size_t end = 0;
};
IndexRange visibleIndices(const Column<double>& x, std::size_t count, double x_min, double x_max);

}  // namespace trainscope::ui
