// SPDX-License-Identifier: GPL-3.0-or-later
// Writes what an ExportChoice asks for: the same from the window and from the command line.
#pragma once

#include <stop_token>
#include <string>

#include "engine/core/result.h"
#include "engine/record/log_export.h"
#include "engine/train/telemetry.h"
#include "ui/export/chart_export.h"
#include "ui/export/export_choice.h"
#include "ui/export/export_result.h"

namespace trainscope::ui {

// Makes the folder. Errors: invalid_argument, no name, or one that is not UTF-8 (charts and logs
// would go to different places); io, it cannot be made, or no file can be made in it.
Result<void> prepareExportFolder(const std::string& folder);
// That no folder stands where one of the choice's files is to go. Error io names the first.
Result<void> checkExportFiles(const ExportChoice& choice);

// Any thread, also while the training goes on. Ends soon with the error cancelled once `stop` is
// requested; files that were finished stay.
ExportResult exportLogs(const ExportChoice& choice, const Telemetry& telemetry,
                        const RunDescription& run, const std::stop_token& stop = {});
// The thread of the window.
ExportResult exportChartFiles(const ExportChoice& choice, const Telemetry& telemetry,
                              const RunDescription& run, const ChartSettings& settings);

}  // namespace trainscope::ui
