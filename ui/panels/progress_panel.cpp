// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/progress_panel.h"

namespace trainscope::ui {

class RunProgress::Private {};

RunProgress::RunProgress(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>()) {}
RunProgress::~RunProgress() = default;

void RunProgress::setStatus(const TrainerStatus& /*status*/) {}
void RunProgress::setIdle() {}
void RunProgress::setStopping() {}

}  // namespace trainscope::ui
