// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/y_range.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/x_lookup.h"

namespace trainscope::ui {
namespace {

// A budget further above the data than this would flatten it, so it is only named.
constexpr double budget_reach = 5;
// Spikes are the largest values of a few columns, this much higher than all others.
constexpr double spike_columns = 0.02;
constexpr double spike_factor = 3;

ValueRange everythingInView(const ChartSpec& spec, const YRangeInput& input) {
    ValueRange all;
    for (std::size_t i = 0; i < spec.series.size(); ++i) {
        if (spec.series[i].kind == SeriesKind::smoothed) {
            continue;  // lies within the raw values
        }
        const SeriesView view = input.data->view(i, input.x_axis, input.log);
        const std::size_t begin = firstNotBelow(view.x, 0, view.count, input.x.low);
        const std::size_t end = firstAbove(view.x, begin, view.count, input.x.high);
        // Where the view lies between two points their line still crosses it.
        const IndexRange range =
            begin < end ? IndexRange{begin, end}
                        : visibleIndices(view.x, view.count, input.x.low, input.x.high);
        all.include(view.pyramid.range(view.values, range.begin, range.end));
    }
    return all;
}

// The highest point of each pixel column.
std::vector<std::pair<double, double>> columnTops(const ChartSpec& spec, const YRangeInput& input) {
    std::vector<std::pair<double, double>> tops;  // height, column
    for (std::size_t i = 0; i < spec.series.size(); ++i) {
        if (spec.series[i].kind == SeriesKind::smoothed) {
            continue;
        }
        const SeriesView view = input.data->view(i, input.x_axis, false);
        const ColumnView columns{input.x.low, input.x.high, input.columns};
        for (const CurvePoint& point : upperEdge(view, columns)) {
            if (point.x >= 0 && point.x <= static_cast<double>(input.columns)) {
                tops.emplace_back(point.y, std::floor(point.x));
            }
        }
    }
    return tops;
}

// Lowers the top if only a few columns need it; notes which ones are cut off.
double withoutSpikes(const ChartSpec& spec, const YRangeInput& input, double top,
                     std::vector<double>& cut_off) {
    auto tops = columnTops(spec, input);
    if (tops.size() < 50) {
        return top;
    }
    const auto rank =
        static_cast<std::ptrdiff_t>(static_cast<double>(tops.size() - 1) * (1 - spike_columns));
    std::nth_element(tops.begin(), tops.begin() + rank, tops.end());
    const double usual = tops[static_cast<std::size_t>(rank)].first;
    if (!(top > spike_factor * usual) || usual <= 0) {
        return top;
    }
    const double limit = usual * 1.25;
    for (const auto& [height, column] : tops) {
        if (height > limit) {
            cut_off.push_back(column);
        }
    }
    std::sort(cut_off.begin(), cut_off.end());
    cut_off.erase(std::unique(cut_off.begin(), cut_off.end()), cut_off.end());
    return limit;
}

Interval emptyRange(const ChartSpec& spec) {
    return spec.unit == Unit::bytes ? Interval{0, 1024.0 * 1024} : Interval{0, 1};
}

}  // namespace

YRange yRange(const ChartSpec& spec, const YRangeInput& input) {
    YRange result;
    const ValueRange all = input.data != nullptr ? everythingInView(spec, input) : ValueRange{};
    if (all.empty()) {
        result.shown = emptyRange(spec);
        return result;
    }
    if (input.log && std::isfinite(all.min_positive)) {
        result.log = true;
        result.shown = roundInterval(spec.unit, all.min_positive, all.max, true, input.labels);
        return result;
    }
    double low = all.min;
    double high = all.max;
    if (spec.tame_spikes) {
        high = withoutSpikes(spec, input, high, result.cut_off);
    }
    if (input.budget && spec.id == ChartId::memory) {
        const auto budget = static_cast<double>(*input.budget);
        result.budget_above = budget > high * budget_reach;
        high = result.budget_above ? high : std::max(high, budget * 1.04);
    }
    if (all.min == all.max && spec.from_zero && spec.unit == Unit::plain) {
        high += 0.2 * std::abs(high);  // a constant is not on the frame
    }
    // From zero, also where that costs little: heights then compare.
    if (low >= 0 && (spec.from_zero || low < 0.25 * high)) {
        low = 0;
    }
    if (spec.from_zero && low == 0 && high <= 0) {
        result.shown = emptyRange(spec);
        return result;
    }
    if (low == high && low > 0 && spec.unit == Unit::share) {
        low = high - 0.05;
    }
    result.shown = roundInterval(spec.unit, low, high, false, input.labels);
    if (spec.unit == Unit::share) {
        result.shown = {std::max(0.0, result.shown.low), std::min(1.0, result.shown.high)};
    }
    return result;
}

}  // namespace trainscope::ui
