// SPDX-License-Identifier: GPL-3.0-or-later
// Writes what an ExportChoice asks for: the same from the window and from the command line.
#pragma once

#include <string>

#include "engine/core/result.h"
#include "engine/record/log_export.h"
#include "engine/train/telemetry.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/export_result.h"
#include "ui/panels/export_choice.h"

namespace trainscope::ui {

// Makes the folder. Errors: invalid_argument, no name, or one that is not UTF-8 (charts and logs
// would go to different places); io, it cannot be made or written to.
Result<void> prepareExportFolder(const std::string& folder);

// Any thread, also while the training goes on.
ExportResult exportLogs(const ExportChoice& choice, const Telemetry& telemetry,
                        const RunDescription& run);
// The thread of the window.
ExportResult exportChartFiles(const ExportChoice& choice, const Telemetry& telemetry,
                              const ChartSettings& settings);

}  // namespace trainscope::ui
