// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/knobs_panel.h"

namespace trainscope::ui {

class KnobsPanel::Private {
  public:
    RunSettings run;
};

KnobsPanel::KnobsPanel(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>()) {}
KnobsPanel::~KnobsPanel() = default;

void KnobsPanel::setRun(const RunSettings& run) {
    d_->run = run;
}

void KnobsPanel::writeTo(RunSettings& run) const {
    run.micro_batch = d_->run.micro_batch;
    run.accumulation = d_->run.accumulation;
    run.optimizer = d_->run.optimizer;
    run.variants = d_->run.variants;
    run.memory_budget = d_->run.memory_budget;
}

void KnobsPanel::setGraph(std::shared_ptr<const Graph> /*graph*/, bool /*softTargets*/,
                          int /*threads*/) {}
void KnobsPanel::setStatus(const TrainerStatus& /*status*/) {}
void KnobsPanel::setRunning(bool /*running*/) {}
void KnobsPanel::showPending(const QString& /*knob*/) {}
void KnobsPanel::showAnswer(const QString& /*knob*/, bool /*applied*/, const QString& /*reason*/) {}

QString KnobsPanel::knobOf(const CommandBody& body) {
    if (std::holds_alternative<SetMicroBatch>(body)) {
        return QStringLiteral("micro_batch");
    }
    if (std::holds_alternative<SetAccumulation>(body)) {
        return QStringLiteral("accumulation");
    }
    if (std::holds_alternative<SetLearningRate>(body)) {
        return QStringLiteral("learning_rate");
    }
    if (std::holds_alternative<SetOptimizer>(body)) {
        return QStringLiteral("optimizer");
    }
    if (std::holds_alternative<SetMemoryBudget>(body)) {
        return QStringLiteral("memory_budget");
    }
    if (const auto* variant = std::get_if<SetVariant>(&body)) {
        return QString::fromStdString(variant->op);
    }
    return {};
}

}  // namespace trainscope::ui
