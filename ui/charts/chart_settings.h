// SPDX-License-Identifier: GPL-3.0-or-later
// How charts are shown, in the window and in a file.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "ui/charts/chart_table.h"

namespace trainscope::ui {

struct ChartSettings {
    XAxis x_axis = XAxis::samples;
    bool log_loss = false;
    double smoothing = 0.98;
    bool dark = false;
    bool emulated = false;  // the run's device; see chartTitle
    std::optional<std::int64_t> memory_budget;
    std::optional<std::pair<double, double>> x_range;  // nullopt: everything
};

}  // namespace trainscope::ui
