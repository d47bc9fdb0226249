// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/export_run.h"

#include <QApplication>
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string_view>

#include "engine/record/log_export.h"
#include "ui/export/chart_export.h"

namespace trainscope::command_line {

namespace {

bool chosen(const TrainOptions& options, std::string_view format) {
    return std::find(options.export_formats.begin(), options.export_formats.end(), format) !=
           options.export_formats.end();
}

// The choices that the options make: one for each format of charts, the logs in the first.
std::vector<ui::ExportChoice> choices(const TrainOptions& options) {
    ui::ExportChoice logs;
    logs.folder = QString::fromStdString(options.export_folder.string());
    logs.picture = options.chart;
    logs.logs.clear();
    for (const LogExporter& exporter : log_exporters()) {
        if (chosen(options, exporter.name)) {
            logs.logs << QString::fromUtf8(exporter.name);
        }
    }
    std::vector<ui::ExportChoice> all;
    for (const ui::PictureFormat& format : ui::pictureFormats()) {
        if (chosen(options, format.name)) {
            ui::ExportChoice charts = logs;
            charts.logs.clear();
            charts.picture.format = QString::fromLatin1(format.name);
            all.push_back(charts);
        }
    }
    logs.charts.clear();
    all.insert(all.begin(), logs);
    return all;
}

// Drawing text needs an application object, but no screen, and no runtime folder that Qt would
// speak of.
void hush_runtime_folder(QtMsgType /*type*/, const QMessageLogContext& /*context*/,
                         const QString& text) {
    if (!text.contains(QLatin1String("XDG_RUNTIME_DIR"))) {
        std::fputs(qPrintable(text + QLatin1Char('\n')), stderr);
    }
}

}  // namespace

std::vector<std::string> export_formats() {
    std::vector<std::string> names;
    for (const LogExporter& exporter : log_exporters()) {
        names.emplace_back(exporter.name);
    }
    for (const ui::PictureFormat& format : ui::pictureFormats()) {
        names.emplace_back(format.name);
    }
    return names;
}

Result<void> prepare_export(const TrainOptions& options) {
    for (const ui::ExportChoice& choice : choices(options)) {
        if (choice.charts.empty()) {
            continue;
        }
        if (const auto checked = ui::checkPicture(choice.picture); !checked) {
            return make_error(checked.error().code, "--chart-size, --chart-dpi: {}.",
                              checked.error().message);
        }
    }
    if (const auto ready = ui::prepareExportFolder(options.export_folder.string()); !ready) {
        return make_error(ready.error().code, "--export: {}", ready.error().message);
    }
    for (const ui::ExportChoice& choice : choices(options)) {
        if (const auto free = ui::checkExportFiles(choice); !free) {
            return make_error(free.error().code, "--export: {}", free.error().message);
        }
    }
    return {};
}

ui::ExportResult export_run(const TrainOptions& options, const Trainer& trainer) {
    const std::vector<ui::ExportChoice> all = choices(options);
    const std::shared_ptr<const Telemetry> telemetry = trainer.telemetry();
    const RunDescription run = describe_run(trainer.config(), trainer.dataset());
    ui::ExportResult result = ui::exportLogs(all.front(), *telemetry, run);
    result.charts_left_out = all.size() > 1 && !result.errors.empty();
    if (all.size() > 1 && !result.charts_left_out) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        const QtMessageHandler handler = qInstallMessageHandler(hush_runtime_folder);
        int argc = 1;
        std::array<char, 11> name = {"trainscope"};
        std::array<char*, 2> argv = {name.data(), nullptr};
        const QApplication application(argc, argv.data());
        qInstallMessageHandler(handler);
        ui::ChartSettings look;
        look.memory_budget = trainer.status().memory_budget;
        look.emulated = trainer.config().device.kind == DeviceKind::emulated;
        for (std::size_t i = 1; i < all.size(); ++i) {
            result.add(ui::exportChartFiles(all[i], *telemetry, run, look));
        }
    }
    return result;
}

}  // namespace trainscope::command_line
