// SPDX-License-Identifier: GPL-3.0-or-later
// Charts as picture files.
#include "ui/charts/chart_export.h"

namespace trainscope::ui {

Result<void> exportChart(ChartId, const Telemetry&, const ChartSettings&, const ChartExport&,
                         const QString& file) {
    return make_error(ErrorCode::unsupported, "{}: charts cannot be exported yet",
                      file.toStdString());
}

Result<QStringList> exportCharts(const Telemetry&, const ChartSettings&, const ChartExport&,
                                 const QString& folder) {
    return make_error(ErrorCode::unsupported, "{}: charts cannot be exported yet",
                      folder.toStdString());
}

}  // namespace trainscope::ui
