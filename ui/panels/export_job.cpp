// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/export_job.h"

#include <QDir>
#include <filesystem>

namespace trainscope::ui {

namespace {

Result<void> makeFolder(const QString& folder) {
    if (folder.isEmpty()) {
        return make_error(ErrorCode::invalid_argument,
                          "No folder to export to was given; expected the path of a folder.");
    }
    if (!QDir().mkpath(folder)) {
        return make_error(ErrorCode::io, "{}: the folder could not be made.", folder.toStdString());
    }
    return {};
}

QString nameOf(const LogExporter& exporter) {
    return QString::fromUtf8(exporter.name.data(), static_cast<qsizetype>(exporter.name.size()));
}

}  // namespace

Result<QStringList> exportLogs(const ExportChoice& choice, const Telemetry& telemetry,
                               const RunDescription& run) {
    if (const Result<void> made = makeFolder(choice.folder); !made) {
        return make_error(made.error());
    }
    QStringList files;
    for (const LogExporter& exporter : log_exporters()) {
        if (!choice.logs.contains(nameOf(exporter))) {
            continue;
        }
        const std::filesystem::path file =
            std::filesystem::path(choice.folder.toStdString()) / exporter.file_name;
        if (const Result<void> written = exporter.write(file, telemetry, run); !written) {
            return make_error(written.error());
        }
        files << QString::fromStdString(file.string());
    }
    return files;
}

Result<QStringList> exportChartFiles(const ExportChoice& choice, const Telemetry& telemetry,
                                     const ChartSettings& settings) {
    if (const Result<void> made = makeFolder(choice.folder); !made) {
        return make_error(made.error());
    }
    return exportCharts(telemetry, settings, {choice.chartFormat, choice.chartSize, choice.dpi},
                        choice.folder, choice.charts);
}

Result<QStringList> exportRun(const ExportChoice& choice, const Telemetry& telemetry,
                              const RunDescription& run, const ChartSettings& settings) {
    Result<QStringList> files = exportLogs(choice, telemetry, run);
    if (!files) {
        return files;
    }
    const Result<QStringList> charts = exportChartFiles(choice, telemetry, settings);
    if (!charts) {
        return make_error(charts.error());
    }
    *files << *charts;
    return files;
}

}  // namespace trainscope::ui
