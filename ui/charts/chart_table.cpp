// SPDX-License-Identifier: GPL-3.0-or-later
// Which charts there are.
#include "ui/charts/chart_table.h"

#include <QCoreApplication>
#include <array>

namespace trainscope::ui {
namespace {

constexpr std::array<ChartInfo, 7> table = {{
    {ChartId::loss, "loss", QT_TRANSLATE_NOOP("charts", "Loss"), true, 3, false},
    {ChartId::throughput, "throughput", QT_TRANSLATE_NOOP("charts", "Throughput"), true, 2, true},
    {ChartId::memory, "memory", QT_TRANSLATE_NOOP("charts", "Device memory"), true, 2, false},
    {ChartId::accuracy, "accuracy", QT_TRANSLATE_NOOP("charts", "Accuracy (test)"), false, 2,
     false},
    {ChartId::step_time, "step_time", QT_TRANSLATE_NOOP("charts", "Step time by phase"), false, 2,
     true},
    {ChartId::gradient_norm, "gradient_norm", QT_TRANSLATE_NOOP("charts", "Gradient norm"), false,
     2, false},
    {ChartId::learning_rate, "learning_rate", QT_TRANSLATE_NOOP("charts", "Learning rate"), false,
     2, false},
}};

}  // namespace

std::span<const ChartInfo> chartTable() {
    return table;
}

const ChartInfo& chartInfo(ChartId id) {
    return table.at(static_cast<std::size_t>(id));
}

std::vector<ChartId> defaultCharts() {
    std::vector<ChartId> charts;
    for (const ChartInfo& info : table) {
        if (info.shown_at_first) {
            charts.push_back(info.id);
        }
    }
    return charts;
}

QString chartTitle(ChartId id, bool emulated) {
    const QString title = QCoreApplication::translate("charts", chartInfo(id).title);
    return emulated && chartInfo(id).of_time
               ? QCoreApplication::translate("charts", "%1 (emulation)").arg(title)
               : title;
}

}  // namespace trainscope::ui
