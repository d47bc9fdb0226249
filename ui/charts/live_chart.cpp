// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/live_chart.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QGraphicsLayout>
#include <QtCharts/QAreaSeries>
#include <QtCharts/QLegend>
#include <QtCharts/QLegendMarker>
#include <QtCharts/QLineSeries>
#include <QtCharts/QScatterSeries>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace trainscope::ui {
namespace {

constexpr double legend_row = 22;
constexpr double legend_margin = 9;  // of a QLegend, inside

QPen legendPen(const SeriesSpec& series, const Colors& colors) {
    const SeriesColors& color = colors.series[series.color];
    switch (series.kind) {
        case SeriesKind::raw:
            return QPen(color.faint, 1);
        case SeriesKind::ceiling:
            return QPen(colors.text, 1.5);
        default:
            return QPen(color.line, series.isBand() ? 1 : 2);
    }
}

}  // namespace

// An item as large as the chart that one painter paints.
class LiveChart::Layer : public QGraphicsItem {
  public:
    Layer(LiveChart* chart, double z, std::function<void(QPainter&)> paint)
        : QGraphicsItem(chart), chart_(chart), paint_(std::move(paint)) {
        setZValue(z);
        setAcceptedMouseButtons(Qt::NoButton);
    }
    void resized() { prepareGeometryChange(); }
    QRectF boundingRect() const override { return QRectF(QPointF(), chart_->size()); }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override {
        painter->save();
        paint_(*painter);
        painter->restore();
    }

  private:
    LiveChart* chart_;
    std::function<void(QPainter&)> paint_;
};

LiveChart::LiveChart(ChartId id) : id_(id) {
    setAnimationOptions(QChart::NoAnimation);
    setBackgroundVisible(false);  // the view's, or the paper of a file
    setMargins({});
    makeLegend();
    using Paint = void (*)(QPainter&, const ChartPicture&, const PaintStyle&);
    double z = 10;
    for (const Paint paint : {&paintGrid, &paintCurves, &paintLabels}) {
        layers_.push_back(new Layer(
            this, z++, [this, paint](QPainter& painter) { paint(painter, picture_, style()); }));
    }
    layers_.push_back(new Layer(this, z, [this](QPainter& painter) { paintCrosshair(painter); }));
}

// Empty series, for the legend only.
void LiveChart::makeLegend() {
    for (const SeriesSpec& series : chartSpec(id_).series) {
        QAbstractSeries* entry = nullptr;
        if (series.isBand()) {
            entry = new QAreaSeries(new QLineSeries(this));
        } else if (series.kind == SeriesKind::evaluation) {
            auto* rings = new QScatterSeries;  // as in the plot
            rings->setMarkerSize(8);
            entry = rings;
        } else {
            entry = new QLineSeries;
        }
        entry->setName(seriesName(series));
        addSeries(entry);
    }
    legend()->detachFromChart();
    legend()->setInteractive(false);
    legend()->setBackgroundVisible(false);
    legend()->setAlignment(Qt::AlignTop);
    legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);
    legend()->setVisible(chartSpec(id_).series.size() > 1);
}

void LiveChart::setColors(const Colors& colors) {
    if (legend_colors_ == &colors) {
        return;
    }
    legend_colors_ = &colors;
    const auto specs = chartSpec(id_).series;
    for (qsizetype i = 0; i < series().size(); ++i) {
        const SeriesSpec& spec = specs[static_cast<std::size_t>(i)];
        if (auto* area = qobject_cast<QAreaSeries*>(series()[i])) {
            area->setPen(legendPen(spec, colors));
            area->setBrush(colors.series[spec.color].fill);
            for (QLegendMarker* marker : legend()->markers(area)) {
                marker->setShape(QLegend::MarkerShapeRectangle);
                marker->setPen(legendPen(spec, colors));
                marker->setBrush(colors.series[spec.color].fill);
            }
        } else if (auto* line = qobject_cast<QLineSeries*>(series()[i])) {
            line->setPen(legendPen(spec, colors));
        } else if (auto* rings = qobject_cast<QScatterSeries*>(series()[i])) {
            rings->setPen(QPen(colors.series[spec.color].line, 1.6));
            rings->setBrush(colors.plot);
        }
    }
    legend()->setLabelColor(colors.text);
}

double LiveChart::placeLegend(const QRectF& title) {
    if (!legend()->isVisible()) {
        return 0;
    }
    if (legend_width_ == title.width() && legend()->font() == chartLabelFont(font())) {
        return legend_rows_;
    }
    legend_width_ = title.width();
    legend()->setFont(chartLabelFont(font()));
    legend()->setGeometry(QRectF(0, 0, 4000, legend_row + 18));
    legend()->layout()->invalidate();
    legend()->layout()->activate();
    std::vector<double> entries;
    for (const QGraphicsItem* group : legend()->childItems()) {
        for (const QGraphicsItem* entry : group->childItems()) {
            entries.push_back(entry->boundingRect().width());
        }
    }
    const double width = std::accumulate(entries.begin(), entries.end(), 2 * legend_margin);
    const double title_width =
        QFontMetricsF(chartTitleFont(font())).horizontalAdvance(chartTitle(id_, state_.emulated)) +
        20;
    // QLegend begins a row when the next entry, taken to be as wide as the last, would not fit.
    const double widest = entries.empty() ? 0 : *std::max_element(entries.begin(), entries.end());
    // Beside the title, or in a narrow chart in rows of its own under it.
    const double beside = title.width() - title_width;
    const bool below = beside < std::min(width, std::max(150.0, widest + 2 * legend_margin));
    const double room = below ? title.width() : beside;
    const double used = width <= room ? width + widest : room;
    double rows = 1;
    double at = 0;
    for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
        at += entries[i];
        if (at + entries[i] > used - 2 * legend_margin) {
            at = 0;
            ++rows;
        }
    }
    legend_rows_ = below ? rows + 1 : rows;
    const double left = title.right() + 2 - std::min(width, room);
    legend()->setGeometry(QRectF(std::round(left), below ? legend_row - 9 : -9, std::ceil(used),
                                 rows * legend_row + 2 * legend_margin));
    return legend_rows_;
}

void LiveChart::show(const ChartData* data, const ChartState& state) {
    data_ = data;
    if (state.emulated != state_.emulated) {
        legend_width_ = -1;  // the title is another
    }
    state_ = state;
    setColors(*state.colors);
    LayoutInput layout;
    layout.size = size();
    layout.font = font();
    layout.y_labels = state.y_labels;
    layout.x_labels = state.x_labels;
    layout.annotations = state.annotations != nullptr && !state.annotations->empty();
    layout.legend_row_height = legend_row;
    layout.legend_rows = placeLegend(QRectF(6, 0, size().width() - 12, 0));
    layout_ = layOut(layout);
    if (plotArea() != layout_.plot) {
        setPlotArea(layout_.plot);
    }
    PictureInput input;
    input.id = id_;
    input.data = data;
    input.annotations = state.annotations;
    input.plot = layout_.plot;
    input.columns_per_pixel = state.columns_per_pixel;
    input.x = state.x;
    input.x_axis = state.x_axis;
    input.log = state.log_loss;
    input.budget = state.budget;
    input.locale = state.locale;
    input.font = chartLabelFont(font());
    picture_ = makePicture(input);
    for (Layer* layer : layers_) {
        layer->resized();
        layer->update();
    }
}

double LiveChart::wantedLabelWidth() const {
    return yLabelWidth(picture_, chartLabelFont(font()));
}

PaintStyle LiveChart::style() const {
    return {*state_.colors, font(), chartTitle(id_, state_.emulated), layout_.title,
            state_.x_labels};
}

void LiveChart::setCrosshair(std::optional<std::size_t> step) {
    if (step != crosshair_) {
        crosshair_ = step;
        layers_.back()->update();
    }
}

void LiveChart::setSelection(std::optional<std::pair<double, double>> selection) {
    selection_ = selection;
    layers_.back()->update();
}

std::vector<ReadoutRow> LiveChart::readout(std::size_t step) const {
    std::vector<ReadoutRow> rows;
    if (data_ == nullptr || step >= data_->steps()) {
        return rows;
    }
    const ChartSpec& spec = chartSpec(id_);
    for (std::size_t i = 0; i < spec.series.size(); ++i) {
        const double value = data_->valueAt(i, step);
        const bool evaluation = spec.series[i].kind == SeriesKind::evaluation;
        if (evaluation && std::isnan(value)) {
            continue;  // none yet
        }
        ReadoutRow row{
            i, seriesName(spec.series[i]), valueText(spec.unit, value, state_.locale), {}};
        const double level = data_->levelAt(i, step);
        if (!evaluation && !spec.series[i].isBand() && std::isfinite(level) &&
            (!picture_.log || level > 0)) {
            row.y = picture_.yPixel(level);
        }
        rows.push_back(std::move(row));
    }
    // A stack is read from the top down, as it is seen.
    if (!rows.empty() && spec.series.front().isBand()) {
        std::reverse(rows.begin(), rows.end());
    }
    return rows;
}

void LiveChart::paintCrosshair(QPainter& painter) const {
    if (selection_) {
        painter.setPen(QPen(state_.colors->series[0].line, 1));
        painter.setBrush(state_.colors->selection);
        painter.drawRect(QRectF(QPointF(selection_->first, picture_.plot.top()),
                                QPointF(selection_->second, picture_.plot.bottom()))
                             .normalized()
                             .intersected(picture_.plot));
    }
    if (!crosshair_ || data_ == nullptr || *crosshair_ >= data_->steps()) {
        return;
    }
    const double x =
        picture_.xPixel(data_->telemetry().at(xAxisMetric(state_.x_axis), *crosshair_));
    if (x < picture_.plot.left() - 1 || x > picture_.plot.right() + 1) {
        return;
    }
    paintReadout(painter, picture_, style(), x,
                 state_.readout_heading ? stepText(data_->telemetry(), *crosshair_, state_.locale)
                                        : QString(),
                 readout(*crosshair_));
}

QString stepText(const Telemetry& telemetry, std::size_t step, const QLocale& locale) {
    return QCoreApplication::translate("charts", "step %1 · %2 samples · epoch %3 · %4")
        .arg(valueText(Unit::count, telemetry.at(Metric::step, step), locale),
             valueText(Unit::count, telemetry.at(Metric::samples, step), locale),
             locale.toString(telemetry.at(Metric::epoch, step), 'f', 2),
             valueText(Unit::clock, telemetry.at(Metric::active_seconds, step), locale));
}

}  // namespace trainscope::ui
