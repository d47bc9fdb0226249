// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/export_choice.h"

#include <algorithm>

#include "engine/record/log_export.h"

namespace trainscope::ui {

namespace {

QString key(const char* name) {
    return QStringLiteral("export/") + QLatin1String(name);
}

int readWithin(const QSettings& settings, const char* name, int standard, int least, int most) {
    bool right = false;
    const int value = settings.value(key(name)).toInt(&right);
    return right && value >= least && value <= most ? value : standard;
}

}  // namespace

ExportChoice::ExportChoice() : charts(defaultCharts()) {
    for (const LogExporter& exporter : log_exporters()) {
        logs << QString::fromUtf8(exporter.name);
    }
}

ExportChoice loadExportChoice(const QSettings& settings) {
    ExportChoice choice;
    choice.folder = settings.value(key("folder")).toString();
    if (settings.contains(key("charts"))) {
        const QStringList names = settings.value(key("charts")).toStringList();
        choice.charts.clear();
        for (const ChartInfo& info : chartTable()) {
            if (names.contains(QLatin1String(info.name))) {
                choice.charts.push_back(info.id);
            }
        }
    }
    if (settings.contains(key("logs"))) {
        const QStringList names = settings.value(key("logs")).toStringList();
        choice.logs.removeIf([&](const QString& name) { return !names.contains(name); });
    }
    const QString format = settings.value(key("chart_format")).toString();
    if (isPictureFormat(format)) {
        choice.picture.format = format;
    }
    using Limits = PictureLimits;
    QSize& size = choice.picture.size;
    size = {readWithin(settings, "chart_width", size.width(), Limits::smallest.width(),
                       Limits::largest_side),
            readWithin(settings, "chart_height", size.height(), Limits::smallest.height(),
                       Limits::largest_side)};
    choice.picture.dpi =
        readWithin(settings, "dpi", choice.picture.dpi, Limits::least_dpi, Limits::most_dpi);
    return choice;
}

void saveExportChoice(QSettings& settings, const ExportChoice& choice) {
    QStringList charts;
    for (const ChartId id : choice.charts) {
        charts << QLatin1String(chartInfo(id).name);
    }
    settings.setValue(key("folder"), choice.folder);
    settings.setValue(key("charts"), charts);
    settings.setValue(key("logs"), choice.logs);
    settings.setValue(key("chart_format"), choice.picture.format);
    settings.setValue(key("chart_width"), choice.picture.size.width());
    settings.setValue(key("chart_height"), choice.picture.size.height());
    settings.setValue(key("dpi"), choice.picture.dpi);
}

}  // namespace trainscope::ui
