// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/export_job.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace trainscope::ui {

namespace {

namespace fs = std::filesystem;

QString nameOf(const LogExporter& exporter) {
    return QString::fromUtf8(exporter.name.data(), static_cast<qsizetype>(exporter.name.size()));
}

}  // namespace

void ExportResult::add(const ExportResult& other) {
    files += other.files;
    for (const Error& error : other.errors) {
        if (std::none_of(errors.begin(), errors.end(),
                         [&](const Error& mine) { return mine.message == error.message; })) {
            errors.push_back(error);
        }
    }
}

QString ExportResult::errorText() const {
    QStringList lines;
    for (const Error& error : errors) {
        lines << QString::fromStdString(error.message);
    }
    return lines.join(QLatin1Char('\n'));
}

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
                        const RunDescription& run) {
    ExportResult result;
    const std::string folder = choice.folder.toStdString();
    if (Result<void> ready = prepareExportFolder(folder); !ready) {
        result.errors.push_back(std::move(ready.error()));
        return result;
    }
    for (const LogExporter& exporter : log_exporters()) {
        if (!choice.logs.contains(nameOf(exporter))) {
            continue;
        }
        const fs::path file = fs::path(folder) / exporter.file_name;
        if (Result<void> written = exporter.write(file, telemetry, run); written) {
            result.files << QString::fromStdString(file.string());
        } else {
            result.errors.push_back(std::move(written.error()));
        }
    }
    return result;
}

ExportResult exportChartFiles(const ExportChoice& choice, const Telemetry& telemetry,
                              const ChartSettings& settings) {
    ExportResult result;
    if (Result<void> ready = prepareExportFolder(choice.folder.toStdString()); !ready) {
        result.errors.push_back(std::move(ready.error()));
        return result;
    }
    const ChartExport how{choice.chartFormat, choice.chartSize, choice.dpi};
    if (Result<void> checked = checkChartExport(how); !checked) {
        result.errors.push_back(std::move(checked.error()));
        return result;
    }
    for (const ChartId id : choice.charts) {
        Result<QStringList> written = exportCharts(telemetry, settings, how, choice.folder, {id});
        if (written) {
            result.files += *written;
        } else {
            result.errors.push_back(std::move(written.error()));
        }
    }
    return result;
}

}  // namespace trainscope::ui
