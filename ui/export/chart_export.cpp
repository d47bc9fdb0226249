// SPDX-License-Identifier: GPL-3.0-or-later
// Charts as picture files: the chart of the window in a scene that no window shows.
#include "ui/export/chart_export.h"

#include <QDir>
#include <QFileInfo>
#include <QFontMetricsF>
#include <QGraphicsScene>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/chart_layout.h"
#include "ui/charts/live_chart.h"
#include "ui/export/picture_file.h"

namespace trainscope::ui {
namespace {

Result<void> invalid(const std::string& message) {
    return make_error(ErrorCode::invalid_argument, "{}", message);
}

Result<void> check(const ChartSettings& settings, const PictureOptions& options) {
    if (Result<void> checked = checkPicture(options); !checked) {
        return checked;
    }
    if (!(settings.smoothing >= 0 && settings.smoothing < 1)) {
        return invalid(fmt::format("chart smoothing: expected 0 <= smoothing < 1, found {}",
                                   settings.smoothing));
    }
    if (settings.x_range &&
        (!std::isfinite(settings.x_range->first) || !std::isfinite(settings.x_range->second) ||
         settings.x_range->first >= settings.x_range->second)) {
        return invalid(fmt::format("chart x range: expected a start below the end, found {} to {}",
                                   settings.x_range->first, settings.x_range->second));
    }
    return {};
}

// A chart laid out for a file, ready to be painted.
class Sheet {
  public:
    Sheet(ChartId id, const Telemetry& telemetry, const ChartSettings& settings,
          const PictureOptions& options, const QString& caption)
        // Owned by the caller, who outlives this.
        : data_(id, std::shared_ptr<const Telemetry>(std::shared_ptr<void>(), &telemetry),
                settings.smoothing),
          annotations_(telemetry.annotations()),
          chart_(new LiveChart(id)),
          size_(options.size),
          caption_(caption),
          colors_(&colorsFor(settings.dark)) {
        data_.update();
        scene_.addItem(chart_);
        const QFont font = pictureFont();
        chart_->setFont(font);
        caption_font_ = chartLabelFont(font);
        chart_->resize(size_ - QSizeF(0, captionHeight()));
        ChartState state;
        state.annotations = &annotations_;
        state.x_axis = settings.x_axis;
        state.log_loss = settings.log_loss;
        state.emulated = settings.emulated;
        state.budget = settings.memory_budget;
        state.locale = QLocale::c();  // numbers in files are the same everywhere
        state.colors = colors_;
        state.x = everything(telemetry, settings);
        if (options.format == QLatin1String("png")) {
            state.columns_per_pixel = std::max(1.0, options.dpi / layout_dpi);
        }
        chart_->show(&data_, state);
        state.y_labels = chart_->wantedLabelWidth();
        chart_->show(&data_, state);
    }

    void paint(QPainter& painter) {
        const QRectF all(QPointF(), size_);
        painter.fillRect(all, colors_->plot);
        scene_.render(&painter, all, all);
        const QRectF line =
            all.adjusted(caption_margin, all.height() - captionHeight(), -caption_margin, 0);
        painter.setFont(caption_font_);
        painter.setPen(colors_->quiet_text);
        painter.drawText(
            line, Qt::AlignLeft | Qt::AlignTop,
            QFontMetricsF(caption_font_).elidedText(caption_, Qt::ElideRight, line.width()));
    }

  private:
    static constexpr double caption_margin = 8;
    double captionHeight() const {
        return caption_.isEmpty() ? 0 : QFontMetricsF(caption_font_).height() + caption_margin / 2;
    }
    static Interval everything(const Telemetry& telemetry, const ChartSettings& settings) {
        if (settings.x_range) {
            return {settings.x_range->first, settings.x_range->second};
        }
        const std::size_t steps = telemetry.steps();
        if (steps == 0) {
            return {0, 1};
        }
        const Metric x = xAxisMetric(settings.x_axis);
        const double low = telemetry.at(Metric::step, 0) <= 1 ? 0 : telemetry.at(x, 0);
        const double high = telemetry.at(x, steps - 1);
        return high > low ? Interval{low, high} : Interval{low, low + 1};
    }

    ChartData data_;
    std::vector<Annotation> annotations_;
    QGraphicsScene scene_;
    LiveChart* chart_;  // the scene's
    QSizeF size_;
    QString caption_;
    QFont caption_font_;
    const Colors* colors_;
};

}  // namespace

QString captionOf(const RunDescription& run) {
    const auto field = [&run](const char* name) {
        const auto found = run.configuration.find(name);
        return found != run.configuration.end() ? QString::fromStdString(found->second) : QString();
    };
    return QStringLiteral("%1 on %2, micro-batch %3 x %4, %5 at %6, seed %7, %8")
        .arg(field("model"), field("dataset"), field("micro_batch"), field("accumulation"),
             field("optimizer"), field("learning_rate"), field("seed"), field("device"));
}

Result<void> exportChart(ChartId id, const Telemetry& telemetry, const ChartSettings& settings,
                         const PictureOptions& options, const QString& file,
                         const QString& caption) {
    if (auto checked = check(settings, options); !checked) {
        return checked;
    }
    Sheet sheet(id, telemetry, settings, options, caption);
    return writePicture(file, options, chartTitle(id, settings.emulated),
                        [&](QPainter& painter) { sheet.paint(painter); });
}

QString chartFile(const QString& folder, ChartId id, const PictureOptions& options) {
    return QDir(folder).filePath(QString::fromLatin1(chartInfo(id).name) + QLatin1Char('.') +
                                 options.format);
}

ExportResult exportCharts(const Telemetry& telemetry, const ChartSettings& settings,
                          const PictureOptions& options, const QString& folder,
                          const std::vector<ChartId>& charts, const QString& caption) {
    if (auto checked = check(settings, options); !checked) {
        return ExportResult::failure(std::move(checked.error()));
    }
    if (!QDir().mkpath(folder)) {
        return ExportResult::failure(
            {ErrorCode::io, fmt::format("{}: the folder cannot be made", folder.toStdString())});
    }
    ExportResult result;
    for (const ChartId id : charts) {
        const QString file = chartFile(folder, id, options);
        if (auto written = exportChart(id, telemetry, settings, options, file, caption); !written) {
            result.errors.push_back({std::move(written.error()), file.toStdString()});
        } else {
            result.files << file;
        }
    }
    return result;
}

}  // namespace trainscope::ui
