// SPDX-License-Identifier: GPL-3.0-or-later
// How far the y axis of a chart reaches for what is in view.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ui/charts/chart_data.h"

namespace trainscope::ui {

struct YRangeInput {
    const ChartData* data = nullptr;
    XAxis x_axis = XAxis::samples;
    Interval x;
    bool log = false;
    std::size_t columns = 1;  // pixels
    std::optional<std::int64_t> budget;
    int labels = 4;
};

struct YRange {
    Interval shown;
    bool log = false;             // false although asked for: there is nothing above 0
    bool budget_above = false;    // so far above the data that it would flatten it
    std::vector<double> cut_off;  // pixel columns with spikes that go beyond
};

YRange yRange(const ChartSpec& spec, const YRangeInput& input);

}  // namespace trainscope::ui
