// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/log_panel.h"

namespace trainscope::ui {

class LogPanel::Private {
  public:
    std::shared_ptr<const Telemetry> telemetry;
};

LogPanel::LogPanel(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>()) {}
LogPanel::~LogPanel() = default;

void LogPanel::setTelemetry(std::shared_ptr<const Telemetry> telemetry) {
    d_->telemetry = std::move(telemetry);
}

void LogPanel::refresh() {}

}  // namespace trainscope::ui
