// SPDX-License-Identifier: GPL-3.0-or-later
// Charts as picture files. Needs a QGuiApplication, but no chart that was ever shown.
#pragma once

#include <QString>
#include <vector>

#include "engine/core/result.h"
#include "engine/record/log_export.h"
#include "engine/train/telemetry.h"
#include "ui/charts/chart_settings.h"
#include "ui/export/export_result.h"
#include "ui/export/picture_file.h"

namespace trainscope::ui {

// "bn-cnn on cifar10, micro-batch 32 x 4, sgd at 0.1, seed 1, cpu": a run as it started. What was
// turned later stands in the chart.
QString captionOf(const RunDescription& run);

// `caption`: a line below the chart that says what ran; empty: none.
// Written to a temporary file beside it, then renamed. Error io, out_of_memory or invalid_argument
// names the file or the field.
Result<void> exportChart(ChartId id, const Telemetry& telemetry, const ChartSettings& settings,
                         const PictureOptions& options, const QString& file,
                         const QString& caption = {});

// folder/<name>.<format>
QString chartFile(const QString& folder, ChartId id, const PictureOptions& options);

// Each of the charts as its chartFile(). Makes the folder. Returns the files.
ExportResult exportCharts(const Telemetry& telemetry, const ChartSettings& settings,
                          const PictureOptions& options, const QString& folder,
                          const std::vector<ChartId>& charts = defaultCharts(),
                          const QString& caption = {});

}  // namespace trainscope::ui
