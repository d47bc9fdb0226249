// SPDX-License-Identifier: GPL-3.0-or-later
// The knobs of a training. They act at once while it runs, and each says beside it what a turn will
// cost in memory before it is applied.
#pragma once

#include <QString>
#include <QWidget>
#include <memory>

#include "engine/model/graph.h"
#include "engine/train/command.h"
#include "engine/train/trainer.h"
#include "ui/run_settings.h"

namespace trainscope::ui {

class KnobsPanel : public QWidget {
    Q_OBJECT

  public:
    explicit KnobsPanel(QWidget* parent = nullptr);
    ~KnobsPanel() override;

    void setRun(const RunSettings& run);  // emits nothing
    // Writes the knobs as they are shown; the rest of `run` is left as it is.
    void writeTo(RunSettings& run) const;

    // What the memory is predicted for; nullptr: nothing is predicted. threads 0: as many as the
    // device has.
    void setGraph(std::shared_ptr<const Graph> graph, bool softTargets, int threads,
                  const DeviceInfo& device = cpu_device());
    // The values that run. A knob that is being edited or waits for an answer keeps what it shows.
    void setStatus(const TrainerStatus& status);
    // True: a turned knob is a command. False: it is a choice for the next start.
    void setRunning(bool running);

    // A knob waits from its command until this answer. Turned again meanwhile, it sends its latest
    // value then. Refused, it returns to what runs and shows the reason under it.
    void showAnswer(const QString& knob, bool applied, const QString& reason);

    // The knob that a command turns: "micro_batch", "accumulation", "learning_rate", "optimizer",
    // "memory_budget", "evaluation_interval", or "conv2d variant"; empty for commands without one.
    static QString knobOf(const CommandBody& body);

  Q_SIGNALS:
    void commandRequested(trainscope::CommandBody body);  // a knob was turned while running

  private:
    class Private;
    std::unique_ptr<Private> d_;
};

}  // namespace trainscope::ui
