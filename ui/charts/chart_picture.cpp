// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_picture.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_layout.h"
#include "ui/charts/clip.h"
#include "ui/charts/y_range.h"
#include "ui/number_text.h"

namespace trainscope::ui {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("charts", text);
}

// A level piece of a curve is one line, however many points it has.
void addLine(std::vector<QLineF>& lines, const QLineF& line) {
    if (!lines.empty() && lines.back().p2() == line.p1() && line.dy() == 0 &&
        lines.back().dy() == 0) {
        lines.back().setP2(line.p2());
    } else {
        lines.push_back(line);
    }
}

class PictureMaker {
  public:
    explicit PictureMaker(const PictureInput& input)
        : in_(input), spec_(chartSpec(input.id)), metrics_(input.font) {
        columns_ = {in_.x.low, in_.x.high,
                    static_cast<std::size_t>(
                        std::max(1.0, std::round(in_.plot.width() * in_.columns_per_pixel)))};
    }

    ChartPicture make() {
        p_.id = in_.id;
        p_.plot = in_.plot;
        p_.x = in_.x;
        p_.y_unit = spec_.unit;
        p_.log = in_.log && spec_.id == ChartId::loss;
        findYRange();
        placeTicks();
        if (in_.data != nullptr) {
            placeBands();
            placeCurves();
            noteWhatIsMissing();
        }
        placeBudget();
        if (in_.annotations != nullptr) {
            p_.annotations = placeAnnotations(*in_.annotations, in_.x_axis, in_.x.low, in_.x.high,
                                              in_.plot, annotationStrip(in_.font), metrics_);
        }
        p_.hint = hint();
        return std::move(p_);
    }

  private:
    void findYRange() {
        YRangeInput input{
            in_.data,   in_.x_axis, in_.x, p_.log, static_cast<std::size_t>(in_.plot.width()),
            in_.budget, labelsOnY()};
        const YRange range = yRange(spec_, input);
        p_.y = range.shown;
        p_.log = range.log;
        budget_above_ = range.budget_above;
        cut_off_ = range.cut_off;
    }

    int labelsOnY() const {
        const double height = in_.plot.height();
        return std::max(
            2, static_cast<int>(std::min(height / (metrics_.height() * 2.1), 3 + height / 60)));
    }

    void placeTicks() {
        const AxisTicks y =
            axisTicks(spec_.unit, p_.y.low, p_.y.high, p_.log, labelsOnY(), in_.locale);
        for (const AxisTick& tick : y.ticks) {
            p_.y_ticks.push_back({p_.yPixel(tick.value), tick.label});
        }
        p_.y_title = axisTitle(spec_, y.unit);
        const double room = in_.x_axis == XAxis::active_time ? 90 : 80;
        const AxisTicks x =
            axisTicks(xAxisUnit(in_.x_axis), in_.x.low, in_.x.high, false,
                      std::max(1, static_cast<int>(in_.plot.width() / room)), in_.locale);
        for (const AxisTick& tick : x.ticks) {
            p_.x_ticks.push_back({p_.xPixel(tick.value), tick.label});
        }
        p_.x_title = xAxisTitle(in_.x_axis);
    }

    QPointF placed(double column, double value) const {
        const double scale = in_.plot.width() / static_cast<double>(columns_.columns);
        return {in_.plot.left() + column * scale, p_.yPixel(value)};
    }

    void placeBands() {
        double lower_at_name = p_.yPixel(0);
        for (std::size_t i = 0; i < spec_.series.size(); ++i) {
            if (!spec_.series[i].isBand()) {
                continue;
            }
            const std::vector<CurvePoint> edge =
                upperEdge(in_.data->view(i, in_.x_axis, false), columns_);
            if (edge.empty()) {
                continue;
            }
            PlacedBand band;
            band.series = i;
            std::vector<QPointF> top;
            top.reserve(edge.size());
            for (const CurvePoint& point : edge) {
                top.push_back(placed(point.x, point.y));
            }
            top = clippedEdge(top, in_.plot);
            if (top.empty()) {
                continue;
            }
            const double bottom = p_.yPixel(0);
            band.area << QPointF(top.front().x(), bottom);
            for (const QPointF& point : top) {
                band.area << point;
            }
            band.area << QPointF(top.back().x(), bottom);
            for (qsizetype k = 1; k + 2 < band.area.size(); ++k) {
                addLine(band.edge, {band.area[k], band.area[k + 1]});
            }
            lower_at_name = nameBand(band, lower_at_name);
            p_.bands.push_back(std::move(band));
        }
    }

    // Writes the name into the band at a place near its end, if it is thick enough there. Returns
    // the band's upper edge at that place.
    double nameBand(PlacedBand& band, double lower) const {
        const QString name = seriesName(spec_.series[band.series]);
        const double width = metrics_.horizontalAdvance(name);
        const double right = std::min(band.area.back().x(), in_.plot.right()) - 14;
        const double left = right - width;
        double highest = in_.plot.top();
        double lowest_top = in_.plot.top();
        bool any = false;
        for (qsizetype k = 1; k + 1 < band.area.size(); ++k) {
            const QPointF point = band.area[k];
            if (point.x() >= left - 8 && point.x() <= right + 8) {
                lowest_top = any ? std::max(lowest_top, point.y()) : point.y();
                highest = any ? std::min(highest, point.y()) : point.y();
                any = true;
            }
        }
        if (!any) {
            lowest_top = highest = band.area[band.area.size() - 2].y();
        }
        if (lower - lowest_top >= metrics_.height() && left > band.area.front().x() &&
            left > in_.plot.left() + 4) {
            band.name = name;
            band.name_center = {(left + right) / 2, (lower + lowest_top) / 2};
        }
        return highest;
    }

    void placeCurves() {
        for (std::size_t i = 0; i < spec_.series.size(); ++i) {
            const SeriesSpec& series = spec_.series[i];
            if (series.isBand()) {
                continue;
            }
            const SeriesView view = in_.data->view(i, in_.x_axis, p_.log);
            const Curve curve = decimate(view, columns_);
            PlacedCurve placed_curve;
            placed_curve.series = i;
            placed_curve.lines.reserve(curve.strokes.size());
            for (const Stroke& stroke : curve.strokes) {
                if (const auto line = clipped(
                        {placed(stroke.x0, stroke.y0), placed(stroke.x1, stroke.y1)}, in_.plot)) {
                    addLine(placed_curve.lines, *line);
                }
            }
            if (series.kind == SeriesKind::evaluation) {
                placeMarkers(view, placed_curve);
            }
            p_.curves.push_back(std::move(placed_curve));
            if (series.kind != SeriesKind::smoothed) {
                not_shown_ += curve.not_shown;
                for (const double gap : curve.gaps) {
                    p_.gaps.push_back(placed(gap, p_.y.low).x());
                }
            }
        }
    }

    // A marker for each evaluation, as long as markers do not become a band.
    void placeMarkers(const SeriesView& view, PlacedCurve& curve) const {
        const IndexRange range = visibleIndices(view.x, view.count, in_.x.low, in_.x.high);
        if (static_cast<double>(range.end - range.begin) * 7 > in_.plot.width()) {
            return;
        }
        for (std::size_t i = range.begin; i < range.end; ++i) {
            const double value = view.values[i];
            if (std::isfinite(value) && (!p_.log || value > 0)) {
                const QPointF at = placed(columns_.pixel(view.x[i]), value);
                if (in_.plot.adjusted(-1, -1, 1, 1).contains(at)) {
                    curve.markers.push_back(at);
                }
            }
        }
    }

    void noteWhatIsMissing() {
        if (not_shown_ > 0) {
            const QString count = countText(static_cast<std::int64_t>(not_shown_), in_.locale);
            p_.notes << (p_.log ? tr(QT_TRANSLATE_NOOP("charts", "× %1 not shown (NaN, ∞ or ≤ 0)"))
                                : tr(QT_TRANSLATE_NOOP("charts", "× %1 not shown (NaN or ∞)")))
                            .arg(count);
        }
        if (!cut_off_.empty()) {
            for (const double column : cut_off_) {
                p_.cut_off.push_back(placed(column + 0.5, p_.y.high).x());
            }
            p_.notes << tr(QT_TRANSLATE_NOOP("charts", "▲ spikes cut off at the top"));
        }
    }

    void placeBudget() {
        if (spec_.id != ChartId::memory || !in_.budget) {
            return;
        }
        const QString amount =
            amountText(Unit::bytes, static_cast<double>(*in_.budget), in_.locale);
        if (budget_above_) {
            p_.budget_label = tr(QT_TRANSLATE_NOOP("charts", "budget %1 ↑")).arg(amount);
            return;
        }
        p_.budget = p_.yPixel(static_cast<double>(*in_.budget));
        p_.budget_label = tr(QT_TRANSLATE_NOOP("charts", "budget %1")).arg(amount);
    }

    QString hint() const {
        if (in_.data != nullptr && in_.data->hasPoints()) {
            return {};
        }
        return spec_.id == ChartId::accuracy && in_.data != nullptr && in_.data->steps() > 0
                   ? tr(QT_TRANSLATE_NOOP("charts", "Not evaluated yet"))
                   : tr(QT_TRANSLATE_NOOP("charts",
                                          "Curves appear here as soon as a training runs"));
    }

    const PictureInput& in_;
    const ChartSpec& spec_;
    QFontMetricsF metrics_;
    ColumnView columns_;
    ChartPicture p_;
    bool budget_above_ = false;
    std::vector<double> cut_off_;
    std::uint64_t not_shown_ = 0;
};

}  // namespace

double ChartPicture::yPixel(double value) const {
    const double share = log ? std::log(value / y.low) / std::log(y.high / y.low)
                             : (value - y.low) / (y.high - y.low);
    return plot.bottom() - share * plot.height();
}

std::size_t ChartPicture::lineCount() const {
    std::size_t count = 0;
    for (const PlacedCurve& curve : curves) {
        count += curve.lines.size();
    }
    for (const PlacedBand& band : bands) {
        count += band.edge.size();
    }
    return count;
}

ChartPicture makePicture(const PictureInput& input) {
    return PictureMaker(input).make();
}

double yLabelWidth(const ChartPicture& picture, const QFont& font) {
    const QFontMetricsF metrics(font);
    double widest = 0;
    for (const PlacedTick& tick : picture.y_ticks) {
        widest = std::max(widest, metrics.horizontalAdvance(tick.label));
    }
    return widest;
}

}  // namespace trainscope::ui
