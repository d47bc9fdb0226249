// SPDX-License-Identifier: GPL-3.0-or-later
// All charts, one above the other.
#include "ui/charts/chart_panel.h"

#include <set>

namespace trainscope::ui {

class ChartPanel::Private {
  public:
    ChartSettings settings;
    bool follow = true;
    std::set<ChartId> visible = {ChartId::loss, ChartId::throughput, ChartId::memory};
};

ChartPanel::ChartPanel(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>()) {}
ChartPanel::~ChartPanel() = default;
void ChartPanel::setTelemetry(std::shared_ptr<const Telemetry>) {}
void ChartPanel::setMemoryBudget(std::optional<std::int64_t> bytes) {
    d_->settings.memory_budget = bytes;
}
void ChartPanel::setXAxis(XAxis axis) {
    d_->settings.x_axis = axis;
}
XAxis ChartPanel::xAxis() const {
    return d_->settings.x_axis;
}
void ChartPanel::setLogLoss(bool on) {
    d_->settings.log_loss = on;
}
bool ChartPanel::logLoss() const {
    return d_->settings.log_loss;
}
void ChartPanel::setFollow(bool on) {
    d_->follow = on;
}
bool ChartPanel::follow() const {
    return d_->follow;
}
void ChartPanel::setSmoothing(double ema) {
    d_->settings.smoothing = ema;
}
double ChartPanel::smoothing() const {
    return d_->settings.smoothing;
}
void ChartPanel::setChartVisible(ChartId id, bool on) {
    if (on) {
        d_->visible.insert(id);
    } else {
        d_->visible.erase(id);
    }
}
bool ChartPanel::chartVisible(ChartId id) const {
    return d_->visible.contains(id);
}
void ChartPanel::zoom(double) {}
void ChartPanel::pan(double) {}
void ChartPanel::fitAll() {}
void ChartPanel::refresh() {}
ChartSettings ChartPanel::settings() const {
    return d_->settings;
}
void ChartPanel::keyPressEvent(QKeyEvent* event) {
    QWidget::keyPressEvent(event);
}
void ChartPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
}

}  // namespace trainscope::ui
