// SPDX-License-Identifier: GPL-3.0-or-later
// What is behind the window; for main_window*.cpp alone.
#pragma once

#include <QTimer>
#include <memory>
#include <optional>

#include "ui/charts/chart_panel.h"
#include "ui/export/export_control.h"
#include "ui/kernels/kernels_control.h"
#include "ui/knobs/knobs_panel.h"
#include "ui/main_window.h"
#include "ui/panels/log_panel.h"
#include "ui/panels/operators_panel.h"
#include "ui/panels/run_progress.h"
#include "ui/panels/setup_panel.h"
#include "ui/session/training_session.h"
#include "ui/widgets/message_bar.h"
#include "ui/window/chart_controls.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_frame.h"

namespace trainscope::ui {

class MainWindow::Implementation : public QObject {
  public:
    Implementation(MainWindow* window, MainWindowOptions options);
    ~Implementation() override;

    // True: the window may close now. False: it will, once everything has ended.
    bool close();
    bool quiet() const { return sessionEnded_ && !exports_->busy() && !kernelsControl_->busy(); }

  private:
    // main_window.cpp
    void connectActions();
    void connectExports();
    void connectKernels();
    void connectHelp();
    void save();
    bool mayClose() const;  // quiet, or patience with what runs has ended
    void closeWhenQuiet();

    // main_window_run.cpp
    void connectSession();
    void connectPanels();
    RunSettings chosen() const;
    BenchContext benchContext() const;
    void onSetupChanged();
    void preview(bool mayOpen = false);
    void showPreview(const std::shared_ptr<const Graph>& graph, bool soft, const QString& error);
    void showSummary();
    void onStart();
    void onStep();
    void startRun(bool paused);
    void onStarted();
    void onStatus(const TrainerStatus& status);
    void onFinished(const TrainerStatus& status);
    void onAnswer(const CommandBody& command, const CommandAnswer& answer);
    void onTick();
    void refresh();
    void reset();
    void updateActions();
    void updateTitle();
    void showRunFacts();

    MainWindow* window_;
    MainWindowOptions options_;
    std::unique_ptr<QSettings> settings_;
    WindowActions actions_;
    TrainingSession* session_;
    ChartPanel* charts_;
    ChartControls* chartControls_;
    MessageBar* messages_;
    SetupPanel* setup_;
    KnobsPanel* knobs_;
    LogPanel* log_;
    OperatorsPanel* operators_;
    KernelsPanel* kernels_;
    RunProgress* progress_;
    ExportControl* exports_;
    KernelsControl* kernelsControl_ = nullptr;
    WindowFrame* frame_ = nullptr;
    QTimer previewDelay_;

    RunSettings base_;      // what no panel shows is kept from here
    RecordedRun previous_;  // what was there before the last start or reset
    RecordedRun replaced_;  // becomes previous_ once the new one has started
    std::shared_ptr<const Graph> graph_;
    bool summaryWanted_ = false;
    bool stepWanted_ = false;
    bool stopping_ = false;
    bool closing_ = false;
    bool sessionEnded_ = false;
    bool patienceEnded_ = false;  // closing waits for the session no longer
    int ticks_ = 0;
};

}  // namespace trainscope::ui
