// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_panel_private.h"

#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/charts/x_lookup.h"

namespace trainscope::ui {
namespace {

// New data is drawn at most this often, and takes about a sixth of one core at most: the training
// needs them too. Milliseconds.
constexpr qint64 shortest_interval = 16;
constexpr qint64 longest_interval = 250;
constexpr qint64 cost_factor = 6;

}  // namespace

void ChartPanel::Private::makeViews() {
    auto* scroll = new QScrollArea(q);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* column = new QWidget(scroll);
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (const ChartInfo& info : chartTable()) {
        Slot& entry = slot(info.id);
        entry.visible = info.shown_at_first;
        entry.view = new ChartView(info.id, column);
        entry.view->setVisible(entry.visible);
        layout->addWidget(entry.view, info.weight);
        connectView(*entry.view);
    }
    scroll->setWidget(column);
    auto* outer = new QVBoxLayout(q);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scroll);
}

void ChartPanel::Private::connectView(ChartView& view) {
    QObject::connect(&view, &ChartView::zoomed, q, [this](double factor, double x) {
        moveView([&](ViewRange& r) { r.zoomAround(factor, x); });
    });
    QObject::connect(&view, &ChartView::panned, q,
                     [this](double distance) { moveView([&](ViewRange& r) { r.pan(distance); }); });
    QObject::connect(&view, &ChartView::selected, q, [this](double from, double to) {
        moveView([&](ViewRange& r) { r.show({from, to}); });
    });
    QObject::connect(&view, &ChartView::fitRequested, q, &ChartPanel::fitAll);
    QObject::connect(&view, &ChartView::hovered, q, [this](std::optional<double> x) { hover(x); });
    QObject::connect(&view, &ChartView::resized, q, [this] { redraw(); });
}

// Where the data of an axis begins and ends; from 0 on for a run recorded from its start.
Interval ChartPanel::Private::dataInterval(XAxis axis) const {
    if (!telemetry || steps_ == 0) {
        return {0, 0};
    }
    const Column<double>& x = xColumn(axis);
    const bool from_start = telemetry->at(Metric::step, 0) <= 1;
    return {from_start ? 0 : x[0], x[steps_ - 1]};
}

bool ChartPanel::Private::readNew() {
    if (!telemetry) {
        return false;
    }
    bool changed = false;
    for (Slot& entry : slots_) {
        if (entry.visible && entry.data) {
            changed = entry.data->update() || changed;
        }
    }
    const std::size_t steps = telemetry->steps();
    changed = changed || steps != steps_;
    steps_ = steps;
    if (telemetry->annotation_count() != annotations.size()) {
        const std::vector<Annotation> more = telemetry->annotations(annotations.size());
        annotations.insert(annotations.end(), more.begin(), more.end());
        changed = true;
    }
    return changed;
}

void ChartPanel::Private::moveView(const std::function<void(ViewRange&)>& move) {
    const bool followed = range.follow();
    move(range);
    redraw();
    if (followed != range.follow()) {
        Q_EMIT q->followChanged(range.follow());
    }
}

void ChartPanel::Private::redraw() {
    QElapsedTimer clock;
    clock.start();
    ChartState state;
    state.annotations = &annotations;
    state.x = {range.low(), range.high()};
    state.x_axis = settings.x_axis;
    state.log_loss = settings.log_loss;
    state.emulated = settings.emulated;
    state.budget = settings.memory_budget;
    state.locale = q->locale();
    state.colors = &colorsFor(q->palette());
    settings.dark = state.colors->dark;
    const auto is_visible = [](const Slot& entry) { return entry.visible; };
    const auto first = std::find_if(slots_.begin(), slots_.end(), is_visible);
    const auto last = std::find_if(slots_.rbegin(), slots_.rend(), is_visible);
    // Charts above each other have the same margin, that of the widest labels: a second pass where
    // these have changed.
    for (int pass = 0; pass < 2; ++pass) {
        double widest = 0;
        for (Slot& entry : slots_) {
            if (!entry.visible) {
                continue;
            }
            state.y_labels = label_width_;
            state.x_labels = &entry == &*last;
            state.readout_heading = &entry == &*first;
            entry.view->setBackgroundBrush(state.colors->window);
            entry.view->chart().show(entry.data.get(), state);
            widest = std::max(widest, entry.view->chart().wantedLabelWidth());
        }
        const bool same = leftMargin(widest, q->font()) == leftMargin(label_width_, q->font());
        label_width_ = widest;
        if (same) {
            break;
        }
    }
    placeCrosshair();
    redraw_time_ = clock.nsecsElapsed();
}

qint64 ChartPanel::Private::interval() const {
    qint64 cost = redraw_time_;
    for (const Slot& entry : slots_) {
        cost += entry.visible ? entry.view->lastPaint() : 0;
    }
    return std::clamp(cost * cost_factor / 1'000'000, shortest_interval, longest_interval);
}

// At once, or as soon as the last time is long enough ago.
void ChartPanel::Private::drawNew() {
    const qint64 wait = drawn_.isValid() ? interval() - drawn_.elapsed() : 0;
    if (wait > 0) {
        if (!later_.isActive()) {
            later_.start(static_cast<int>(wait));
        }
        return;
    }
    later_.stop();
    redraw();
    drawn_.start();
}

void ChartPanel::Private::hover(std::optional<double> x) {
    hover_ = x;
    placeCrosshair();
}

void ChartPanel::Private::placeCrosshair() {
    std::optional<std::size_t> step;
    if (hover_ && steps_ > 0) {
        step = nearestIndex(xColumn(settings.x_axis), steps_, *hover_);
    }
    for (Slot& entry : slots_) {
        if (entry.visible) {
            entry.view->chart().setCrosshair(step);
        }
    }
    if (step != crosshair_) {
        crosshair_ = step;
        Q_EMIT q->cursorText(cursorWords());
    }
}

QString ChartPanel::Private::cursorWords() const {
    if (!crosshair_) {
        return {};
    }
    QStringList parts = {stepText(*telemetry, *crosshair_, q->locale())};
    for (const Slot& entry : slots_) {
        if (!entry.visible) {
            continue;
        }
        QStringList values;
        for (const ReadoutRow& row : entry.view->chart().readout(*crosshair_)) {
            values << row.name + QLatin1Char(' ') + row.value;
        }
        if (!values.isEmpty()) {
            parts << chartTitle(entry.view->chart().id(), settings.emulated) +
                         QStringLiteral(": ") + values.join(QStringLiteral(", "));
        }
    }
    return parts.join(QStringLiteral("  |  "));
}

}  // namespace trainscope::ui
