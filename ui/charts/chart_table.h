// SPDX-License-Identifier: GPL-3.0-or-later
// Which charts there are. Panel, menus, exporters and tests all read this table.
#pragma once

#include <QString>
#include <span>
#include <vector>

namespace trainscope::ui {

enum class XAxis { steps, samples, epochs, active_time };

enum class ChartId { loss, throughput, memory, accuracy, step_time, gradient_norm, learning_rate };

struct ChartInfo {
    ChartId id;
    const char* name;     // in file names and settings: "step_time"
    const char* title;    // untranslated; see chartTitle
    bool shown_at_first;  // in the window, and in an export of the default set
    int weight;           // share of the height
    bool of_time;         // of times that a clock measured
};

// In the order they stand in, top to bottom.
std::span<const ChartInfo> chartTable();
const ChartInfo& chartInfo(ChartId id);
std::vector<ChartId> defaultCharts();  // those shown at first
// Translated. `emulated`: the run's device is emulated, whose times say nothing of a GPU, so a
// chart of them says "(emulation)".
QString chartTitle(ChartId id, bool emulated = false);

}  // namespace trainscope::ui
