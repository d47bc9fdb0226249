// SPDX-License-Identifier: GPL-3.0-or-later
// All charts, one above the other.
#include "ui/charts/chart_panel.h"

#include <QEvent>
#include <QKeyEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/charts/chart_panel_private.h"
#include "ui/charts/x_lookup.h"

namespace trainscope::ui {
namespace {

constexpr double key_pan = 0.1;

}  // namespace

ChartPanel::ChartPanel(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>(this)) {
    setFocusPolicy(Qt::StrongFocus);
    d_->makeViews();
    d_->later_.setSingleShot(true);
    connect(&d_->later_, &QTimer::timeout, this, [this] { d_->drawNew(); });
    d_->redraw();
}

ChartPanel::~ChartPanel() = default;

void ChartPanel::setTelemetry(std::shared_ptr<const Telemetry> telemetry, bool emulated) {
    d_->settings.emulated = emulated;
    d_->telemetry = std::move(telemetry);
    d_->annotations.clear();
    d_->steps_ = 0;
    d_->drawn_.invalidate();
    for (const ChartInfo& info : chartTable()) {
        auto& data = d_->slot(info.id).data;
        data = d_->telemetry
                   ? std::make_unique<ChartData>(info.id, d_->telemetry, d_->settings.smoothing)
                   : nullptr;
    }
    d_->readNew();
    d_->range.setData(d_->dataInterval(d_->settings.x_axis));
    d_->range.fit();
    d_->redraw();
}

void ChartPanel::setMemoryBudget(std::optional<std::int64_t> bytes) {
    d_->settings.memory_budget = bytes;
    d_->redraw();
}

void ChartPanel::setXAxis(XAxis axis) {
    if (axis == d_->settings.x_axis) {
        return;
    }
    const XAxis before = std::exchange(d_->settings.x_axis, axis);
    const Interval data = d_->dataInterval(axis);
    if (d_->steps() > 0) {
        const auto moved = [&](double x) {
            return valueAt(d_->xColumn(axis), d_->steps(),
                           fractionalIndex(d_->xColumn(before), d_->steps(), x));
        };
        const Interval shown = {moved(d_->range.low()), moved(d_->range.high())};
        d_->range.moveTo(data, d_->range.fitted() ? Interval{data.low, shown.high} : shown);
    }
    d_->hover_.reset();
    d_->redraw();
}

XAxis ChartPanel::xAxis() const {
    return d_->settings.x_axis;
}

void ChartPanel::setLogLoss(bool on) {
    d_->settings.log_loss = on;
    d_->redraw();
}

bool ChartPanel::logLoss() const {
    return d_->settings.log_loss;
}

void ChartPanel::setFollow(bool on) {
    d_->moveView([on](ViewRange& range) { range.setFollow(on); });
}

bool ChartPanel::follow() const {
    return d_->range.follow();
}

void ChartPanel::setSmoothing(double ema) {
    d_->settings.smoothing = std::isfinite(ema) ? std::clamp(ema, 0.0, 0.999) : 0.0;
    for (auto& entry : d_->slots_) {
        if (entry.data) {
            entry.data->setSmoothing(d_->settings.smoothing);
        }
    }
    d_->redraw();
}

double ChartPanel::smoothing() const {
    return d_->settings.smoothing;
}

void ChartPanel::setChartVisible(ChartId id, bool on) {
    auto& entry = d_->slot(id);
    if (entry.visible == on) {
        return;
    }
    entry.visible = on;
    entry.view->setVisible(on);
    d_->readNew();
    d_->redraw();
}

bool ChartPanel::chartVisible(ChartId id) const {
    return d_->slot(id).visible;
}

void ChartPanel::zoom(double factor) {
    d_->moveView([factor](ViewRange& range) { range.zoom(factor); });
}

void ChartPanel::pan(double fraction) {
    d_->moveView([fraction](ViewRange& range) { range.pan(fraction * range.width()); });
}

void ChartPanel::fitAll() {
    d_->moveView([](ViewRange& range) { range.fit(); });
}

void ChartPanel::showStep(std::int64_t step) {
    constexpr double share = 1.0 / 8;
    if (d_->telemetry == nullptr || d_->steps() == 0) {
        return;
    }
    // Step n is the n-th point, from 1.
    const auto last = static_cast<std::int64_t>(d_->steps()) - 1;
    const auto point = static_cast<std::size_t>(std::clamp<std::int64_t>(step - 1, 0, last));
    const double x = d_->xColumn(d_->settings.x_axis)[point];
    d_->moveView([x](ViewRange& range) {
        const double width = range.width() * (range.fitted() ? share : 1);
        range.show({x - width / 2, x + width / 2});
    });
}

void ChartPanel::refresh() {
    if (d_->readNew()) {
        d_->range.setData(d_->dataInterval(d_->settings.x_axis));
        d_->drawNew();
    }
}

ChartSettings ChartPanel::settings() const {
    ChartSettings now = d_->settings;
    now.dark = colorsFor(palette()).dark;
    if (!d_->range.fitted()) {
        now.x_range = std::pair{d_->range.low(), d_->range.high()};
    }
    return now;
}

void ChartPanel::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return zoom(zoom_step);
        case Qt::Key_Minus:
            return zoom(1 / zoom_step);
        case Qt::Key_Left:
            return pan(-key_pan);
        case Qt::Key_Right:
            return pan(key_pan);
        case Qt::Key_Home:
            return d_->moveView([](ViewRange& range) { range.toStart(); });
        case Qt::Key_End:
            return d_->moveView([](ViewRange& range) { range.toEnd(); });
        case Qt::Key_Escape:
            for (auto& entry : d_->slots_) {
                entry.view->cancelDrag();
            }
            break;
        default:
            break;
    }
    QWidget::keyPressEvent(event);
}

void ChartPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    const QEvent::Type type = event->type();
    if (type == QEvent::PaletteChange || type == QEvent::FontChange ||
        type == QEvent::LocaleChange) {
        for (auto& entry : d_->slots_) {
            entry.view->chart().setFont(font());
        }
        d_->redraw();
    }
}

}  // namespace trainscope::ui
