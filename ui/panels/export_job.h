// SPDX-License-Identifier: GPL-3.0-or-later
// Writes what an ExportChoice asks for.
#pragma once

#include <QStringList>

#include "engine/core/result.h"
#include "engine/record/log_export.h"
#include "engine/train/telemetry.h"
#include "ui/charts/chart_export.h"
#include "ui/panels/export_choice.h"

namespace trainscope::ui {

// Each makes the folder and returns the files it wrote; the first error ends it, and what was
// written before stays. Errors io and invalid_argument name the file or the field.

// Any thread, also while the training goes on.
Result<QStringList> exportLogs(const ExportChoice& choice, const Telemetry& telemetry,
                               const RunDescription& run);
// The thread of the window.
Result<QStringList> exportChartFiles(const ExportChoice& choice, const Telemetry& telemetry,
                                     const ChartSettings& settings);
// Both.
Result<QStringList> exportRun(const ExportChoice& choice, const Telemetry& telemetry,
                              const RunDescription& run, const ChartSettings& settings);

}  // namespace trainscope::ui
