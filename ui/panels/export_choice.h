// SPDX-License-Identifier: GPL-3.0-or-later
// What is to be exported, and where to: a value that is remembered.
#pragma once

#include <QSettings>
#include <QSize>
#include <QString>
#include <QStringList>
#include <vector>

#include "ui/charts/chart_table.h"

namespace trainscope::ui {

// Bounds of a chart's sides and of a PNG's dots an inch.
inline constexpr int smallestChart = 200, largestChart = 10'000;
inline constexpr int smallestDpi = 24, largestDpi = 1200;

struct ExportChoice {
    ExportChoice();  // all logs and the charts that are shown at first

    QString folder;
    std::vector<ChartId> charts;                  // empty: none
    QString chartFormat = QStringLiteral("png");  // png, svg, pdf
    QSize chartSize{1200, 500};                   // at 96 dots an inch
    int dpi = 96;                                 // of a PNG
    QStringList logs;                             // names of log_exporters(); empty: none

    bool operator==(const ExportChoice&) const = default;
};

// What is missing or makes no sense is left at its default.
ExportChoice loadExportChoice(const QSettings& settings);
void saveExportChoice(QSettings& settings, const ExportChoice& choice);

}  // namespace trainscope::ui
