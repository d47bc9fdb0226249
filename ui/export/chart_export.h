// SPDX-License-Identifier: GPL-3.0-or-later
// Charts as picture files. Needs a QGuiApplication, but no chart that was ever shown.
#pragma once

#include <QSize>
#include <QString>
#include <span>
#include <vector>

#include "engine/core/result.h"
#include "engine/record/log_export.h"
#include "engine/train/telemetry.h"
#include "ui/charts/chart_settings.h"
#include "ui/export/export_result.h"

namespace trainscope::ui {

// How charts become pictures, here and in whatever asks for them.
struct ChartExport {
    QString format = QStringLiteral("png");  // png, svg, pdf
    QSize size{1200, 500};                   // at 96 dots an inch
    // Of a PNG: 192 gives twice as many pixels each way, drawn as such and not scaled up.
    int dpi = 96;
    QString caption;  // a line below the chart that says what ran; empty: none

    bool operator==(const ChartExport&) const = default;
};

// "bn-cnn on cifar10, micro-batch 32 x 4, sgd at 0.1, seed 1, cpu": a run as it started. What was
// turned later stands in the chart.
QString captionOf(const RunDescription& run);

// What checkChartExport lets through.
struct ChartLimits {
    static constexpr QSize smallest{200, 120};
    static constexpr int largest_side = 20'000;  // pixels of the file
    static constexpr int least_dpi = 24, most_dpi = 1200;
};

// The kinds of picture files there are.
struct ChartFormat {
    const char* name;   // also the files' extension: "png"
    const char* title;  // untranslated, context "charts"
};
std::span<const ChartFormat> chartFormats();
bool isChartFormat(const QString& name);

// Whether a chart can be drawn so, before there is one. Error invalid_argument: format, size, dpi.
Result<void> checkChartExport(const ChartExport& options);

// Written to a temporary file beside it, then renamed. Error io, out_of_memory or invalid_argument
// names the file or the field.
Result<void> exportChart(ChartId id, const Telemetry& telemetry, const ChartSettings& settings,
                         const ChartExport& options, const QString& file);

// Each of the charts as folder/<name>.<format>. Makes the folder. Returns the files.
ExportResult exportCharts(const Telemetry& telemetry, const ChartSettings& settings,
                          const ChartExport& options, const QString& folder,
                          const std::vector<ChartId>& charts = defaultCharts());

}  // namespace trainscope::ui
