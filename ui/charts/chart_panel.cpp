// SPDX-License-Identifier: GPL-3.0-or-later
// All charts, one above the other.
#include "ui/charts/chart_panel.h"

#include <QEvent>
#include <QKeyEvent>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "ui/charts/chart_view.h"
#include "ui/charts/view_range.h"
#include "ui/charts/x_lookup.h"

namespace trainscope::ui {
namespace {

constexpr double key_zoom = 1.5;
constexpr double key_pan = 0.1;

}  // namespace

class ChartPanel::Private {
  public:
    struct Slot {
        ChartView* view = nullptr;
        std::unique_ptr<ChartData> data;
        bool visible = false;
    };

    explicit Private(ChartPanel* panel) : q(panel) {}

    Slot& slot(ChartId id) { return slots_.at(static_cast<std::size_t>(id)); }
    void makeViews();
    void connectView(ChartView& view);
    bool readNew();
    void moveView(const std::function<void(ViewRange&)>& move);
    void redraw();
    void hover(std::optional<double> x);
    void placeCrosshair();
    QString cursorWords() const;
    Interval dataInterval(XAxis axis) const;
    const Column<double>& xColumn(XAxis axis) const { return telemetry->column(xAxisMetric(axis)); }
    // Steps all columns are read up to.
    std::size_t steps() const { return steps_; }

    ChartPanel* q;
    ChartSettings settings;
    ViewRange range;
    std::shared_ptr<const Telemetry> telemetry;
    std::vector<Annotation> annotations;
    std::array<Slot, 7> slots_;
    std::size_t steps_ = 0;
    double label_width_ = 30;
    std::optional<double> hover_;
    std::optional<std::size_t> crosshair_;
};

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
    ChartState state;
    state.annotations = &annotations;
    state.x = {range.low(), range.high()};
    state.x_axis = settings.x_axis;
    state.log_loss = settings.log_loss;
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
            parts << chartTitle(entry.view->chart().id()) + QStringLiteral(": ") +
                         values.join(QStringLiteral(", "));
        }
    }
    return parts.join(QStringLiteral("  |  "));
}

ChartPanel::ChartPanel(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>(this)) {
    setFocusPolicy(Qt::StrongFocus);
    d_->makeViews();
    d_->redraw();
}

ChartPanel::~ChartPanel() = default;

void ChartPanel::setTelemetry(std::shared_ptr<const Telemetry> telemetry) {
    d_->telemetry = std::move(telemetry);
    d_->annotations.clear();
    d_->steps_ = 0;
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

void ChartPanel::refresh() {
    if (d_->readNew()) {
        d_->range.setData(d_->dataInterval(d_->settings.x_axis));
        d_->redraw();
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
            return zoom(key_zoom);
        case Qt::Key_Minus:
            return zoom(1 / key_zoom);
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
