// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/export_job.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace trainscope::ui {

namespace {

namespace fs = std::filesystem;

}  // namespace

Result<void> prepareExportFolder(const std::string& folder) {
    if (folder.empty()) {
        return make_error(ErrorCode::invalid_argument,
                          "No folder to export to was given; expected the path of a folder.");
    }
    if (QString::fromStdString(folder).toStdString() != folder) {
        return make_error(ErrorCode::invalid_argument,
                          "The name of the export folder '{}' is not UTF-8; choose another.",
                          QString::fromStdString(folder).toStdString());
    }
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (!failed && !fs::is_directory(folder, failed)) {
        failed = std::make_error_code(std::errc::not_a_directory);
    }
    if (!failed && access(folder.c_str(), W_OK) != 0) {
        failed = std::error_code(errno, std::generic_category());
    }
    if (failed) {
        return make_error(ErrorCode::io, "Cannot export to the folder '{}': {}.", folder,
                          failed.message());
    }
    return {};
}

ExportResult exportLogs(const ExportChoice& choice, const Telemetry& telemetry,
                        const RunDescription& run, const std::stop_token& stop) {
    const std::string folder = choice.folder.toStdString();
    if (Result<void> ready = prepareExportFolder(folder); !ready) {
        return ExportResult::failure(std::move(ready.error()));
    }
    ExportResult result;
    for (const LogExporter& exporter : log_exporters()) {
        if (!choice.logs.contains(QString::fromUtf8(exporter.name))) {
            continue;
        }
        const fs::path file = fs::path(folder) / exporter.file_name;
        if (Result<void> written = exporter.write(file, telemetry, run, stop); written) {
            result.files << QString::fromStdString(file.string());
        } else {
            result.errors.push_back(std::move(written.error()));
            if (result.cancelled()) {
                break;
            }
        }
    }
    return result;
}

ExportResult exportChartFiles(const ExportChoice& choice, const Telemetry& telemetry,
                              const RunDescription& run, const ChartSettings& settings) {
    if (Result<void> ready = prepareExportFolder(choice.folder.toStdString()); !ready) {
        return ExportResult::failure(std::move(ready.error()));
    }
    return exportCharts(telemetry, settings, choice.picture, choice.folder, choice.charts,
                        captionOf(run));
}

}  // namespace trainscope::ui
