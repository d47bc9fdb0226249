// SPDX-License-Identifier: GPL-3.0-or-later
// What is to be exported, and where to: a value that is remembered.
#pragma once

#include <QSettings>
#include <QString>
#include <QStringList>
#include <vector>

#include "ui/charts/chart_table.h"
#include "ui/export/chart_export.h"

namespace trainscope::ui {

struct ExportChoice {
    ExportChoice();  // all logs and the charts that are shown at first

    QString folder;
    std::vector<ChartId> charts;  // empty: none
    PictureOptions picture;       // of each chart
    QStringList logs;             // names of log_exporters(); empty: none

    bool operator==(const ExportChoice&) const = default;
};

// What is missing or makes no sense is left at its default.
ExportChoice loadExportChoice(const QSettings& settings);
void saveExportChoice(QSettings& settings, const ExportChoice& choice);

}  // namespace trainscope::ui
