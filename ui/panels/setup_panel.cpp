// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/setup_panel.h"

namespace trainscope::ui {

class SetupPanel::Private {
  public:
    RunSettings run;
};

SetupPanel::SetupPanel(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>()) {}
SetupPanel::~SetupPanel() = default;

void SetupPanel::setRun(const RunSettings& run) {
    d_->run = run;
}

void SetupPanel::writeTo(RunSettings& run) const {
    run.dataset = d_->run.dataset;
    run.model = d_->run.model;
    run.device = d_->run.device;
    run.threads = d_->run.threads;
    run.seed = d_->run.seed;
    run.epochs = d_->run.epochs;
    run.evaluation_interval = d_->run.evaluation_interval;
}

void SetupPanel::setLocked(bool /*running*/) {}

}  // namespace trainscope::ui
