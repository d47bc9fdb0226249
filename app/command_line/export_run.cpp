// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/export_run.h"

#include <unistd.h>

#include <QApplication>
#include <algorithm>
#include <array>
#include <system_error>

#include "ui/charts/chart_export.h"

namespace trainscope::command_line {

namespace {

namespace fs = std::filesystem;

bool chosen(const TrainOptions& options, std::string_view format) {
    return std::find(options.export_formats.begin(), options.export_formats.end(), format) !=
           options.export_formats.end();
}

// Collects what was written and the first thing that failed.
struct Outcome {
    std::vector<fs::path> files;
    std::optional<Error> failure;

    void failed(const Error& error) {
        if (!failure) {
            failure = error;
        }
    }
};

void export_charts(const TrainOptions& options, const Trainer& trainer, Outcome& outcome) {
    const std::shared_ptr<const Telemetry> telemetry = trainer.telemetry();
    ui::ChartSettings settings;
    settings.memory_budget = trainer.status().memory_budget;
    for (const ui::ChartFormat& format : ui::chartFormats()) {
        if (!chosen(options, format.name)) {
            continue;
        }
        const ui::ChartExport how{.format = QString::fromLatin1(format.name),
                                  .size = {options.chart_size.first, options.chart_size.second},
                                  .dpi = options.chart_dpi};
        const auto written = ui::exportCharts(
            *telemetry, settings, how, QString::fromStdString(options.export_folder.string()));
        if (!written) {
            outcome.failed(written.error());
            continue;
        }
        for (const QString& file : *written) {
            outcome.files.emplace_back(file.toStdString());
        }
    }
}

}  // namespace

std::vector<std::string> export_formats() {
    std::vector<std::string> names;
    for (const LogExporter& exporter : log_exporters()) {
        names.emplace_back(exporter.name);
    }
    for (const ui::ChartFormat& format : ui::chartFormats()) {
        names.emplace_back(format.name);
    }
    return names;
}

Result<void> prepare_export_folder(const fs::path& folder) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (!failed && !fs::is_directory(folder, failed)) {
        failed = std::make_error_code(std::errc::not_a_directory);
    }
    if (!failed && access(folder.c_str(), W_OK) != 0) {
        failed = std::error_code(errno, std::generic_category());
    }
    if (failed) {
        return make_error(ErrorCode::io, "--export: cannot write to the folder '{}': {}.",
                          folder.string(), failed.message());
    }
    return {};
}

Result<std::vector<fs::path>> export_run(const TrainOptions& options, const Trainer& trainer) {
    Outcome outcome;
    const RunDescription run = describe_run(trainer.config(), trainer.dataset());
    for (const LogExporter& exporter : log_exporters()) {
        if (!chosen(options, exporter.name)) {
            continue;
        }
        fs::path file = options.export_folder / exporter.file_name;
        if (const auto written = exporter.write(file, *trainer.telemetry(), run)) {
            outcome.files.push_back(std::move(file));
        } else {
            outcome.failed(written.error());
        }
    }
    const auto formats = ui::chartFormats();
    if (std::any_of(formats.begin(), formats.end(),
                    [&](const ui::ChartFormat& format) { return chosen(options, format.name); })) {
        // Drawing text needs an application object, but no screen.
        qputenv("QT_QPA_PLATFORM", "offscreen");
        int argc = 1;
        std::array<char, 11> name = {"trainscope"};
        std::array<char*, 2> argv = {name.data(), nullptr};
        const QApplication application(argc, argv.data());
        export_charts(options, trainer, outcome);
    }
    if (outcome.failure) {
        return make_error(std::move(*outcome.failure));
    }
    return std::move(outcome.files);
}

}  // namespace trainscope::command_line
