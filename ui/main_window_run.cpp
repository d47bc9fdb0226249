// SPDX-License-Identifier: GPL-3.0-or-later
// The window and its training: what is started, what it says, and what is shown of it.
#include <utility>

#include "engine/model/model_spec.h"
#include "ui/main_window_implementation.h"
#include "ui/panels/summary_dialog.h"

namespace trainscope::ui {

namespace {

using State = TrainingSession::State;

constexpr int previewMilliseconds = 300;  // after the last change, not at each key
// The session looks at the trainer 60 times a second; charts need 30, texts 10.
constexpr int ticksPerRefresh = 2;
constexpr int ticksPerStatus = 6;

bool sameStart(const OptimizerSettings& a, const OptimizerSettings& b) {
    return a.kind == b.kind && a.learning_rate == b.learning_rate;
}

}  // namespace

void MainWindow::Implementation::connectSession() {
    connect(session_, &TrainingSession::stateChanged, this, [this] { updateActions(); });
    connect(session_, &TrainingSession::started, this, [this] { onStarted(); });
    connect(session_, &TrainingSession::failed, this, [this](const QString& error) {
        stepWanted_ = false;
        frame_->showTask({});
        messages_->showError(error);
    });
    connect(session_, &TrainingSession::cancelled, this, [this] {
        stepWanted_ = false;
        frame_->showTask({});
        messages_->showNotice(MainWindow::tr("Stopped before the training began."));
    });
    connect(session_, &TrainingSession::previewed, this,
            [this](const std::shared_ptr<const Graph>& graph, bool soft, const QString& error) {
                showPreview(graph, soft, error);
            });
    connect(session_, &TrainingSession::statusChanged, this,
            [this](const TrainerStatus& status) { onStatus(status); });
    connect(session_, &TrainingSession::answered, this,
            [this](const CommandBody& command, const CommandAnswer& answer) {
                onAnswer(command, answer);
            });
    connect(session_, &TrainingSession::finished, this,
            [this](const TrainerStatus& status) { onFinished(status); });
    connect(session_, &TrainingSession::ticked, this, [this] { onTick(); });
}

void MainWindow::Implementation::connectPanels() {
    previewDelay_.setSingleShot(true);
    previewDelay_.setInterval(previewMilliseconds);
    connect(&previewDelay_, &QTimer::timeout, this, [this] { preview(); });
    connect(setup_, &SetupPanel::changed, this, [this] { onSetupChanged(); });
    connect(setup_, &SetupPanel::summaryRequested, this, [this] { showSummary(); });
    connect(knobs_, &KnobsPanel::commandRequested, session_, &TrainingSession::send);
}

RunSettings MainWindow::Implementation::chosen() const {
    RunSettings run = base_;
    setup_->writeTo(run);
    knobs_->writeTo(run);
    run.dataset.seed = run.seed;
    return run;
}

BenchContext MainWindow::Implementation::benchContext() const {
    const State state = session_->state();
    const bool training = state == State::training || state == State::opening;
    return {.run = chosen(),
            .graph = graph_,
            .trainingOn = training ? deviceOf(session_->settings()).id : std::string()};
}

// Another model brings the optimizer it is usually trained with, unless the user chose one.
void MainWindow::Implementation::onSetupChanged() {
    RunSettings run = chosen();
    if (session_->state() != State::training && run.model != base_.model) {
        const auto before = find_model(base_.model);
        const auto now = find_model(run.model);
        if (before && now && sameStart(run.optimizer, before->optimizer)) {
            run.optimizer = now->optimizer;
            knobs_->setRun(run);
        }
    }
    base_ = std::move(run);
    setup_->setClassNames(session_->classNames(base_.dataset));
    updateTitle();
    previewDelay_.start();
}

void MainWindow::Implementation::preview(bool mayOpen) {
    session_->preview(chosen(), mayOpen);
}

void MainWindow::Implementation::showPreview(const std::shared_ptr<const Graph>& graph, bool soft,
                                             const QString& error) {
    graph_ = graph;
    setup_->setClassNames(session_->classNames(chosen().dataset));
    if (session_->state() != State::training) {
        knobs_->setGraph(graph, soft, chosen().threads, deviceOf(chosen()));
    }
    if (!error.isEmpty() && (summaryWanted_ || session_->state() != State::training)) {
        messages_->showError(error);
    } else if (summaryWanted_ && graph) {
        auto* dialog = new SummaryDialog(*graph, window_);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    } else if (summaryWanted_) {
        messages_->showNotice(
            MainWindow::tr("The summary needs the shape of the data: choose its folder first."));
    }
    summaryWanted_ = false;
}

void MainWindow::Implementation::showSummary() {
    summaryWanted_ = true;
    previewDelay_.stop();
    preview(true);
}

void MainWindow::Implementation::onStart() {
    if (session_->state() == State::training) {
        if (session_->status().state == TrainerState::paused) {
            session_->resume();
        } else {
            session_->pause();
        }
    } else {
        startRun(false);
    }
}

void MainWindow::Implementation::onStep() {
    if (session_->state() == State::training) {
        session_->step();
    } else {
        stepWanted_ = true;
        startRun(true);
    }
}

void MainWindow::Implementation::startRun(bool paused) {
    const RunSettings run = chosen();
    if (const QString busy = kernelsControl_->whyBusy(deviceOf(run)); !busy.isEmpty()) {
        stepWanted_ = false;
        messages_->showError(busy);
        return;
    }
    base_ = run;
    saveRunSettings(*settings_, run);
    replaced_ = session_->run();
    previewDelay_.stop();
    frame_->showTask(MainWindow::tr("Preparing the training... (Stop cancels)"));
    session_->start(run, paused);
}

void MainWindow::Implementation::onStarted() {
    frame_->showTask({});
    stopping_ = false;
    if (replaced_.telemetry) {
        previous_ = std::exchange(replaced_, {});
        messages_->showNotice(MainWindow::tr(
            "A new run begins. The one before it can still be exported from the File menu."));
    }
    const RecordedRun& run = session_->run();
    progress_->setEmulated(run.emulated);
    charts_->setTelemetry(run.telemetry, run.emulated);
    charts_->setMemoryBudget(run.memoryBudget);
    log_->setTelemetry(run.telemetry);
    operators_->setTelemetry(run.telemetry, run.emulated);
    knobs_->setGraph(session_->graph(), session_->softTargets(), session_->settings().threads,
                     deviceOf(session_->settings()));
    knobs_->setRunning(true);
    setup_->setLocked(true);
    setup_->setClassNames(session_->classNames(chosen().dataset));
    updateTitle();
    showRunFacts();
    if (std::exchange(stepWanted_, false)) {
        session_->step();
    }
}

void MainWindow::Implementation::onStatus(const TrainerStatus& status) {
    static_cast<void>(status);
    updateActions();
}

void MainWindow::Implementation::onAnswer(const CommandBody& command, const CommandAnswer& answer) {
    const QString reason = QString::fromStdString(answer.reason);
    const QString knob = KnobsPanel::knobOf(command);
    if (!knob.isEmpty()) {
        knobs_->showAnswer(knob, answer.applied, reason);
    }
    if (!answer.applied && !session_->status().done()) {
        messages_->showError(reason);
    }
    ticks_ = 0;  // show what came of it at once
}

void MainWindow::Implementation::onFinished(const TrainerStatus& status) {
    stopping_ = false;
    refresh();
    knobs_->setRunning(false);
    setup_->setLocked(false);
    if (status.state == TrainerState::failed) {
        messages_->showError(QString::fromStdString(status.error));
    }
    updateActions();
    preview();  // of what is chosen for the next one
}

void MainWindow::Implementation::onTick() {
    if (ticks_ % ticksPerStatus == 0) {
        refresh();
    } else if (ticks_ % ticksPerRefresh == 0) {
        charts_->refresh();
    }
    ++ticks_;
}

void MainWindow::Implementation::refresh() {
    const TrainerStatus& status = session_->status();
    if (!stopping_ || status.done()) {
        progress_->setStatus(status);
    }
    knobs_->setStatus(status);
    charts_->setMemoryBudget(status.memory_budget);
    charts_->refresh();
    log_->refresh();
    operators_->refresh(status.variants_used);
}

void MainWindow::Implementation::reset() {
    if (session_->run().telemetry) {
        previous_ = session_->run();
        messages_->showNotice(MainWindow::tr("The run can still be exported from the File menu."));
    }
    session_->reset();
    stopping_ = false;
    charts_->setTelemetry(nullptr);
    log_->setTelemetry(nullptr);
    operators_->setTelemetry(nullptr, false);
    progress_->setIdle();
    knobs_->setRunning(false);
    setup_->setLocked(false);
    updateActions();
    updateTitle();
    showRunFacts();
    preview();
}

void MainWindow::Implementation::updateActions() {
    if (closing_) {
        return;
    }
    const State state = session_->state();
    const bool training = state == State::training;
    const bool recorded = session_->run().telemetry != nullptr;
    const bool paused = session_->status().state == TrainerState::paused;
    actions_.showStart(!training ? WindowActions::Start::start
                       : paused  ? WindowActions::Start::resume
                                 : WindowActions::Start::pause);
    actions_.start->setEnabled(state != State::opening && !stopping_);
    actions_.step->setEnabled(state != State::opening && !stopping_);
    actions_.stop->setEnabled(state == State::opening || (training && !stopping_));
    actions_.reset->setEnabled(recorded && state != State::opening);
    actions_.evaluate->setEnabled(training && !stopping_);
    actions_.exportRun->setEnabled(recorded);
    actions_.exportPrevious->setEnabled(previous_.telemetry != nullptr);
}

void MainWindow::Implementation::updateTitle() {
    const RunSettings run = chosen();
    const bool training = session_->state() == State::training;
    const QString name = QString::fromStdString(run.model).section(QLatin1Char('/'), -1);
    const QString title =
        training ? session_->run().title
                 : MainWindow::tr("%1 on %2").arg(name, QString::fromStdString(run.dataset.name));
    window_->setWindowTitle(MainWindow::tr("%1 - Trainscope").arg(title));
    kernels_->setModelText(MainWindow::tr("%1, at the micro-batch of the knobs").arg(name));
}

void MainWindow::Implementation::showRunFacts() {
    const auto graph = session_->graph();
    frame_->showFacts(graph ? MainWindow::tr("%1: %L2 parameters")
                                  .arg(QString::fromStdString(graph->name))
                                  .arg(graph->parameter_count())
                            : QString());
}

}  // namespace trainscope::ui
