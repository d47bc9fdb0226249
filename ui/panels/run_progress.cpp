// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/run_progress.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <algorithm>

#include "ui/number_text.h"
#include "ui/panels/speed.h"

namespace trainscope::ui {

namespace {

constexpr int barParts = 1000;

QString stateText(TrainerState state) {
    switch (state) {
        case TrainerState::running:
            return RunProgress::tr("Training");
        case TrainerState::paused:
            return RunProgress::tr("Paused");
        case TrainerState::evaluating:
            return RunProgress::tr("Evaluating");
        case TrainerState::finished:
            return RunProgress::tr("Finished");
        case TrainerState::stopped:
            return RunProgress::tr("Stopped");
        case TrainerState::failed:
            return RunProgress::tr("Failed");
    }
    return {};
}

// Set only when it differs: this is called several times a second.
void setText(QLabel& label, const QString& text) {
    if (label.text() != text) {
        label.setText(text);
    }
}

}  // namespace

class RunProgress::Private {
  public:
    void build(RunProgress& panel);
    void showStatus(const TrainerStatus& status);
    void clear(const QString& state);

    void showRateOf(bool emulated);

    QLabel* state = nullptr;
    bool stopping = false;

  private:
    QLabel* addLabel(QHBoxLayout& row, const char* name, const QString& widest);
    void showEpoch(const TrainerStatus& status);
    void showRemaining(const TrainerStatus& status);

    QProgressBar* bar_ = nullptr;
    QLabel* rate_ = nullptr;
    QString rate_format_;
    QLabel* remaining_ = nullptr;
    Speed speed_;
};

void RunProgress::Private::build(RunProgress& panel) {
    auto* row = new QHBoxLayout(&panel);
    row->setContentsMargins(row->spacing(), 0, row->spacing(), 0);
    state = addLabel(*row, "runState", tr("Stopping\u2026"));
    bar_ = new QProgressBar;
    bar_->setObjectName(QStringLiteral("epochProgress"));
    bar_->setAccessibleName(tr("Progress of the epoch"));
    bar_->setRange(0, barParts);
    bar_->setMinimumWidth(
        bar_->fontMetrics().horizontalAdvance(tr("epoch %1 of %2").arg(9999).arg(9999)) +
        bar_->fontMetrics().height() * 2);
    row->addWidget(bar_, 1);
    rate_ = addLabel(*row, "samplesPerSecond", {});
    showRateOf(false);
    rate_->setToolTip(tr("Samples trained on a second, over the last few seconds of training"));
    remaining_ = addLabel(*row, "remainingTime", tr("%1 left of epoch").arg(durationText(35999)));
    clear(tr("Not started"));
}

void RunProgress::Private::showRateOf(bool emulated) {
    rate_format_ = emulated ? tr("%1 samples/s (emulation)") : tr("%1 samples/s");
    rate_->setMinimumWidth(
        rate_->fontMetrics().horizontalAdvance(rate_format_.arg(countText(888888))));
}

QLabel* RunProgress::Private::addLabel(QHBoxLayout& row, const char* name, const QString& widest) {
    auto* label = new QLabel;
    label->setObjectName(QLatin1String(name));
    // As wide as it will get, so that nothing moves while numbers run.
    label->setMinimumWidth(label->fontMetrics().horizontalAdvance(widest));
    row.addWidget(label);
    return label;
}

void RunProgress::Private::clear(const QString& text) {
    stopping = false;
    speed_ = {};
    setText(*state, text);
    bar_->setValue(0);
    bar_->setFormat({});
    rate_->clear();
    remaining_->clear();
}

void RunProgress::Private::showStatus(const TrainerStatus& status) {
    if (status.done()) {
        stopping = false;
    }
    if (!stopping) {
        setText(*state, stateText(status.state));
        state->setToolTip(QString::fromStdString(status.error));
    }
    speed_.add(status.active_seconds, static_cast<double>(status.samples));
    showEpoch(status);
    const std::optional<double> rate = speed_.samplesPerSecond();
    setText(*rate_, rate ? rate_format_.arg(perSecondText(*rate)) : QString());
    showRemaining(status);
}

void RunProgress::Private::showEpoch(const TrainerStatus& status) {
    const bool all = status.epochs > 0 && status.epoch >= status.epochs;
    const QString epoch = countText(all ? status.epochs : status.epoch + 1);
    const QString format = status.epochs > 0
                               ? tr("epoch %1 of %2").arg(epoch, countText(status.epochs))
                               : tr("epoch %1").arg(epoch);
    if (bar_->format() != format) {
        bar_->setFormat(format);
    }
    const double part = status.epoch_samples > 0 ? static_cast<double>(status.epoch_offset) /
                                                       static_cast<double>(status.epoch_samples)
                                                 : 0;
    bar_->setValue(all ? barParts : std::clamp(static_cast<int>(part * barParts), 0, barParts));
}

void RunProgress::Private::showRemaining(const TrainerStatus& status) {
    const std::optional<double> rate = speed_.samplesPerSecond();
    if (status.done() || stopping || !rate || *rate <= 0) {
        setText(*remaining_, {});
        return;
    }
    const std::int64_t epochsLeft =
        std::max<std::int64_t>(1, status.epochs > 0 ? status.epochs - status.epoch : 1);
    const std::int64_t samplesLeft = epochsLeft * status.epoch_samples - status.epoch_offset;
    const QString left = durationText(std::max(0.0, static_cast<double>(samplesLeft) / *rate));
    setText(*remaining_,
            status.epochs > 0 ? tr("%1 left").arg(left) : tr("%1 left of epoch").arg(left));
}

RunProgress::RunProgress(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>()) {
    d_->build(*this);
}
RunProgress::~RunProgress() = default;

void RunProgress::setStatus(const TrainerStatus& status) {
    d_->showStatus(status);
}

void RunProgress::setIdle() {
    d_->clear(tr("Not started"));
}

void RunProgress::setEmulated(bool emulated) {
    d_->showRateOf(emulated);
}

void RunProgress::setStopping() {
    d_->stopping = true;
    setText(*d_->state, tr("Stopping\u2026"));
}

}  // namespace trainscope::ui
