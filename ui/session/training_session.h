// SPDX-License-Identifier: GPL-3.0-or-later
// The training behind the window. Whatever takes time (opening data, allocating, ending a training)
// happens on a worker; a timer asks the trainer how it is. Nothing here waits.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/train/command.h"
#include "engine/train/trainer.h"
#include "ui/run_settings.h"
#include "ui/session/run_opening.h"
#include "ui/session/worker.h"

namespace trainscope::ui {

// What a training left behind: enough to draw and to export it.
struct RecordedRun {
    std::shared_ptr<const Telemetry> telemetry;  // nullptr: there is none
    RunDescription description;
    QString title;  // "simple-cnn on digits"
    std::optional<std::int64_t> memoryBudget;
    bool emulated = false;  // its times say nothing of a GPU
};

class TrainingSession : public QObject {
    Q_OBJECT

  public:
    enum class State : std::uint8_t {
        idle,      // nothing was started
        opening,   // on the way to a training
        training,  // or paused, or evaluating: see status()
        done,      // finished, stopped or failed: see status()
        closing,   // after shutdown()
    };

    explicit TrainingSession(QObject* parent = nullptr);
    ~TrainingSession() override;  // stops and joins whatever is left

    // Opens the data set and trains; does nothing while another training is on its way or runs.
    void start(const RunSettings& settings, bool paused = false);
    // Finds the graph of these settings and tells it with previewed().
    void preview(const RunSettings& settings, bool mayOpen = false);
    void send(const CommandBody& command);  // to the running training
    void pause() { send(Pause{}); }
    void resume() { send(Resume{}); }
    void step() { send(SingleStep{}); }
    void stop();   // ends an opening too
    void reset();  // ends the training and forgets it
    // Ends everything; shutDown() follows. May be called again.
    void shutdown();

    State state() const { return state_; }
    const TrainerStatus& status() const { return status_; }
    const RecordedRun& run() const { return run_; }
    // Of the training that there is; nullptr without one.
    std::shared_ptr<const Graph> graph() const { return graph_; }
    bool softTargets() const { return softTargets_; }
    // Of a data set that is open; empty where it is not.
    std::vector<std::string> classNames(const DatasetOptions& options) const;
    const RunSettings& settings() const { return settings_; }  // that it was started with

  Q_SIGNALS:
    void stateChanged();
    void started();
    void failed(const QString& error);  // it could not be started
    void cancelled();                   // it was stopped before it began
    // graph nullptr: not known. error: why, where something is wrong with the settings.
    void previewed(std::shared_ptr<const trainscope::Graph> graph, bool softTargets,
                   const QString& error);
    void statusChanged(const trainscope::TrainerStatus& status);
    void answered(const trainscope::CommandBody& command, const trainscope::CommandAnswer& answer);
    void finished(const trainscope::TrainerStatus& status);  // whichever way it ended
    void ticked();                                           // after each look at the trainer
    void shutDown();                                         // nothing runs any more

  private:
    void setState(State state);
    void take(std::uint64_t generation, Result<OpenedRun>& opened);
    void takePreview(std::uint64_t generation, const Result<GraphPreview>& preview);
    void poll();
    void takeAnswers();
    void retire(std::shared_ptr<Trainer> trainer);
    void workFailed(const QString& error);

    State state_ = State::idle;
    RunSettings settings_;
    std::shared_ptr<Trainer> trainer_;
    TrainerStatus status_;
    RecordedRun run_;
    std::shared_ptr<const Graph> graph_;
    bool softTargets_ = false;
    OpenedDataset dataset_;
    std::map<CommandId, CommandBody> sent_;  // without an answer yet
    QTimer timer_;
    std::uint64_t generation_ = 0;  // of start and reset: what comes of an older one is dropped
    std::uint64_t previewGeneration_ = 0;
    std::stop_source opening_, previewing_;
    std::unique_ptr<Worker> worker_;
};

}  // namespace trainscope::ui
