// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/training_session.h"

#include <QMetaObject>
#include <utility>

namespace trainscope::ui {

namespace {

constexpr int pollMilliseconds = 16;

bool differs(const TrainerStatus& a, const TrainerStatus& b) {
    return a.step != b.step || a.state != b.state || a.revision != b.revision ||
           a.active_seconds != b.active_seconds;
}

}  // namespace

TrainingSession::TrainingSession(QObject* parent)
    : QObject(parent), worker_(std::make_unique<Worker>([this](const std::string& error) {
          QMetaObject::invokeMethod(
              this, [this, error]() { workFailed(QString::fromStdString(error)); },
              Qt::QueuedConnection);
      })) {
    timer_.setInterval(pollMilliseconds);
    connect(&timer_, &QTimer::timeout, this, &TrainingSession::poll);
}

TrainingSession::~TrainingSession() {
    opening_.request_stop();
    previewing_.request_stop();
    worker_.reset();  // its last jobs may still post to this object
}

void TrainingSession::setState(State state) {
    if (state_ != state) {
        state_ = state;
        Q_EMIT stateChanged();
    }
}

// The last holder lets go on the worker, since a trainer waits for its thread.
void TrainingSession::retire(std::shared_ptr<Trainer> trainer) {
    if (trainer) {
        worker_->post([held = std::move(trainer)]() mutable { held.reset(); });
    }
}

void TrainingSession::start(const RunSettings& settings, bool paused) {
    if (state_ != State::idle && state_ != State::done) {
        return;
    }
    settings_ = settings;
    previewing_.request_stop();
    opening_ = std::stop_source();
    retire(std::exchange(trainer_, nullptr));  // before the next one asks for memory
    const std::uint64_t generation = ++generation_;
    worker_->post([this, generation, settings, paused, atHand = dataset_,
                   stop = opening_.get_token()]() {
        auto opened = std::make_shared<Result<OpenedRun>>(openRun(settings, paused, atHand, stop));
        QMetaObject::invokeMethod(
            this, [this, generation, opened]() { take(generation, *opened); },
            Qt::QueuedConnection);
    });
    setState(State::opening);
}

void TrainingSession::take(std::uint64_t generation, Result<OpenedRun>& opened) {
    if (generation != generation_ || state_ != State::opening) {
        if (opened) {
            retire(std::exchange(opened->trainer, nullptr));
        }
        return;
    }
    if (opened && opening_.stop_requested()) {  // just before it was opened
        retire(std::exchange(opened->trainer, nullptr));
        opened = make_error(ErrorCode::cancelled, "Stopped before the training began.");
    }
    if (!opened) {
        setState(run_.telemetry ? State::done : State::idle);
        if (opened.error().code == ErrorCode::cancelled) {
            Q_EMIT cancelled();
        } else {
            Q_EMIT failed(QString::fromStdString(opened.error().message));
        }
        return;
    }
    trainer_ = std::move(opened->trainer);
    dataset_ = std::move(opened->dataset);
    sent_.clear();
    status_ = trainer_->status();
    graph_ = std::make_shared<const Graph>(trainer_->graph());
    softTargets_ = dataset_.data->soft_targets();
    run_ = {.telemetry = trainer_->telemetry(),
            .description = std::move(opened->description),
            .title = tr("%1 on %2")
                         .arg(QString::fromStdString(trainer_->config().model.name),
                              QString::fromStdString(dataset_.data->name)),
            .memoryBudget = status_.memory_budget,
            .emulated = trainer_->config().device.kind == DeviceKind::emulated};
    setState(State::training);
    Q_EMIT started();
    Q_EMIT statusChanged(status_);
    timer_.start();
}

// A job that came to nothing, for reasons of its own: whoever waits for it waits no longer.
void TrainingSession::workFailed(const QString& error) {
    if (state_ == State::closing) {
        return;
    }
    if (state_ == State::opening) {
        setState(run_.telemetry ? State::done : State::idle);
    }
    Q_EMIT failed(error);
}

void TrainingSession::preview(const RunSettings& settings, bool mayOpen) {
    if (state_ == State::closing) {
        return;
    }
    previewing_.request_stop();
    previewing_ = std::stop_source();
    const std::uint64_t generation = ++previewGeneration_;
    worker_->post(
        [this, generation, settings, mayOpen, atHand = dataset_, stop = previewing_.get_token()]() {
            if (stop.stop_requested()) {
                return;
            }
            auto preview = std::make_shared<const Result<GraphPreview>>(
                previewGraph(settings, mayOpen, atHand, stop));
            QMetaObject::invokeMethod(
                this, [this, generation, preview]() { takePreview(generation, *preview); },
                Qt::QueuedConnection);
        });
}

void TrainingSession::takePreview(std::uint64_t generation, const Result<GraphPreview>& preview) {
    if (generation != previewGeneration_ || state_ == State::closing) {
        return;
    }
    if (!preview) {
        const bool wrong = preview.error().code != ErrorCode::cancelled;
        Q_EMIT previewed(nullptr, false,
                         wrong ? QString::fromStdString(preview.error().message) : QString());
        return;
    }
    if (preview->dataset.data && state_ != State::training) {
        dataset_ = preview->dataset;  // ready for the start
    }
    Q_EMIT previewed(preview->graph, preview->softTargets, {});
}

std::vector<std::string> TrainingSession::classNames(const DatasetOptions& options) const {
    const bool open = dataset_.data && sameDataset(dataset_.options, options);
    return open ? dataset_.data->class_names : std::vector<std::string>();
}

void TrainingSession::send(const CommandBody& command) {
    if (trainer_) {
        sent_.emplace(trainer_->send(command), command);
    }
}

void TrainingSession::stop() {
    opening_.request_stop();
    if (state_ == State::training) {
        send(Stop{});
    }
}

void TrainingSession::reset() {
    if (state_ == State::closing) {
        return;
    }
    ++generation_;
    opening_.request_stop();
    timer_.stop();
    retire(std::exchange(trainer_, nullptr));
    sent_.clear();
    run_ = {};
    status_ = {};
    graph_.reset();
    setState(State::idle);
}

void TrainingSession::shutdown() {
    if (state_ == State::closing) {
        return;
    }
    ++generation_;
    opening_.request_stop();
    previewing_.request_stop();
    timer_.stop();
    retire(std::exchange(trainer_, nullptr));
    setState(State::closing);
    worker_->post([this]() {
        QMetaObject::invokeMethod(
            this, [this]() { Q_EMIT shutDown(); }, Qt::QueuedConnection);
    });
}

void TrainingSession::takeAnswers() {
    if (!trainer_) {
        return;
    }
    for (const CommandAnswer& answer : trainer_->take_answers()) {
        const auto command = sent_.extract(answer.id);
        if (command) {
            Q_EMIT answered(command.mapped(), answer);
        }
    }
}

void TrainingSession::poll() {
    if (!trainer_) {
        return;
    }
    // A slot may end this training, so each step looks again.
    const std::uint64_t generation = generation_;
    takeAnswers();
    if (generation != generation_) {
        return;
    }
    TrainerStatus now = trainer_->status();
    if (now.done()) {
        takeAnswers();  // those given between the two looks
    }
    if (differs(now, status_)) {
        status_ = std::move(now);
        run_.memoryBudget = status_.memory_budget;
        Q_EMIT statusChanged(status_);
    }
    if (generation == generation_ && status_.done() && state_ == State::training) {
        timer_.stop();
        setState(State::done);
        Q_EMIT finished(status_);
    }
    Q_EMIT ticked();
}

}  // namespace trainscope::ui
