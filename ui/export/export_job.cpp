// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/export_job.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace trainscope::ui {

namespace {

namespace fs = std::filesystem;

// Whether a file can be made in a folder is known once one was: what access() says of the
// superuser, of a folder of the system or of a full disk is not it.
std::error_code tryToMakeAFile(const std::string& folder) {
    std::string file = (fs::path(folder) / ".trainscope-XXXXXX").string();
    const int descriptor = mkostemp(file.data(), O_CLOEXEC);
    if (descriptor < 0) {
        return {errno, std::generic_category()};
    }
    unlink(file.c_str());
    close(descriptor);
    return {};
}

// All that the choice writes.
std::vector<fs::path> filesOf(const ExportChoice& choice) {
    std::vector<fs::path> files;
    const fs::path folder = choice.folder.toStdString();
    for (const LogExporter& exporter : log_exporters()) {
        if (choice.logs.contains(QString::fromUtf8(exporter.name))) {
            files.push_back(folder / exporter.file_name);
        }
    }
    for (const ChartId id : choice.charts) {
        files.emplace_back(chartFile(choice.folder, id, choice.picture).toStdString());
    }
    return files;
}

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
    if (!failed) {
        failed = tryToMakeAFile(folder);
    }
    if (failed) {
        return make_error(ErrorCode::io, "Cannot export to the folder '{}': {}.", folder,
                          failed.message());
    }
    return {};
}

Result<void> checkExportFiles(const ExportChoice& choice) {
    for (const fs::path& file : filesOf(choice)) {
        std::error_code ignored;
        if (fs::is_directory(file, ignored)) {
            return make_error(ErrorCode::io,
                              "Cannot write '{}': expected a file or nothing there, "
                              "found a folder.",
                              file.string());
        }
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
            result.errors.push_back({std::move(written.error()), file.string()});
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
