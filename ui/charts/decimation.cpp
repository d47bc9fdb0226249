// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/decimation.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ui/charts/x_lookup.h"

namespace trainscope::ui {
namespace {

bool canShow(double value, bool log) {
    return std::isfinite(value) && (!log || value > 0);
}

// Few points: each where it is, not at the centre of its column.
bool areFew(const IndexRange& range, const ColumnView& view) {
    return range.end - range.begin <= 2 * view.columns;
}

// Calls visit(column, begin, end) for each pixel column that has points. Points just outside come
// as the columns -1 and columns.
template <class Visit>
void eachColumn(const SeriesView& series, const ColumnView& view, const IndexRange& range,
                Visit visit) {
    std::size_t begin = firstNotBelow(series.x, range.begin, range.end, view.x_min);
    if (begin > range.begin) {
        visit(-1.0, begin - 1, begin);
    }
    for (std::size_t column = 0; column < view.columns && begin < range.end; ++column) {
        const bool last = column + 1 == view.columns;
        const std::size_t end =
            last ? firstAbove(series.x, begin, range.end, view.x_max)
                 : firstNotBelow(series.x, begin, range.end, view.edge(column + 1));
        if (end > begin) {
            visit(static_cast<double>(column), begin, end);
        }
        begin = end;
    }
    if (begin < range.end) {
        visit(static_cast<double>(view.columns), begin, begin + 1);
    }
}

class CurveBuilder {
  public:
    // A column that enters at `first`, leaves at `last` and reaches from min to max between.
    void add(double x, double first, double min, double max, double last) {
        if (previous_) {
            curve.strokes.push_back({previous_->x, previous_->y, x, first});
        }
        if (max > min) {
            curve.strokes.push_back({x, min, x, max});
        }
        alone_ = !previous_ && max <= min;
        previous_ = CurvePoint{x, last};
    }
    void breakLine() {
        if (alone_) {  // a point without neighbours is one pixel wide
            curve.strokes.push_back(
                {previous_->x - 0.5, previous_->y, previous_->x + 0.5, previous_->y});
        }
        alone_ = false;
        previous_.reset();
    }
    void gap(double x, std::uint64_t values) {
        curve.not_shown += values;
        if (curve.gaps.empty() || x - curve.gaps.back() >= 1) {
            curve.gaps.push_back(x);
        }
    }
    Curve curve;

  private:
    std::optional<CurvePoint> previous_;
    bool alone_ = false;
};

void addPoints(const SeriesView& series, const ColumnView& view, const IndexRange& range,
               CurveBuilder& builder) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
        const double value = series.values[i];
        const double at = series.x[i];
        if (canShow(value, series.log)) {
            builder.add(view.pixel(at), value, value, value, value);
        } else {
            builder.breakLine();
            if (at >= view.x_min && at <= view.x_max) {
                builder.gap(view.pixel(at), 1);
            }
        }
    }
}

}  // namespace

IndexRange visibleIndices(const Column<double>& x, std::size_t count, double x_min, double x_max) {
    const std::size_t begin = firstNotBelow(x, 0, count, x_min);
    const std::size_t end = firstAbove(x, begin, count, x_max);
    return {begin > 0 ? begin - 1 : 0, std::min(end + 1, count)};
}

Curve decimate(const SeriesView& series, const ColumnView& view) {
    CurveBuilder builder;
    const IndexRange range = visibleIndices(series.x, series.count, view.x_min, view.x_max);
    if (areFew(range, view)) {
        addPoints(series, view, range, builder);
        builder.breakLine();
        return std::move(builder.curve);
    }
    eachColumn(series, view, range, [&](double column, std::size_t begin, std::size_t end) {
        const double x = column + 0.5;
        const ValueRange values = series.pyramid.range(series.values, begin, end);
        const std::uint64_t hidden = values.not_finite + (series.log ? values.not_positive : 0);
        const double min = series.log ? values.min_positive : values.min;
        const double first = series.values[begin];
        const double last = series.values[end - 1];
        if (!canShow(first, series.log)) {
            builder.breakLine();
        }
        if (hidden < end - begin) {
            builder.add(x, canShow(first, series.log) ? first : min, min, values.max,
                        canShow(last, series.log) ? last : values.max);
        }
        if (!canShow(last, series.log)) {
            builder.breakLine();
        }
        if (hidden > 0 && column >= 0 && column < static_cast<double>(view.columns)) {
            builder.gap(x, hidden);
        }
    });
    builder.breakLine();
    return std::move(builder.curve);
}

std::vector<CurvePoint> upperEdge(const SeriesView& series, const ColumnView& view) {
    std::vector<CurvePoint> edge;
    const IndexRange range = visibleIndices(series.x, series.count, view.x_min, view.x_max);
    if (areFew(range, view)) {
        for (std::size_t i = range.begin; i < range.end; ++i) {
            if (canShow(series.values[i], series.log)) {
                edge.push_back({view.pixel(series.x[i]), series.values[i]});
            }
        }
        return edge;
    }
    eachColumn(series, view, range, [&](double column, std::size_t begin, std::size_t end) {
        const ValueRange values = series.pyramid.range(series.values, begin, end);
        if (!values.empty() && (!series.log || values.max > 0)) {
            edge.push_back({column + 0.5, values.max});
        }
    });
    return edge;
}

}  // namespace trainscope::ui
