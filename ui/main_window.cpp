// SPDX-License-Identifier: GPL-3.0-or-later
// The window's parts and what its actions do; what happens with a training is in
// main_window_run.cpp, where the parts stand in window/window_frame.cpp.
#include "ui/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <utility>

#include "ui/main_window_implementation.h"
#include "ui/theme/icons.h"
#include "ui/window/help_dialogs.h"
#include "ui/window/shortcut_priority.h"
#include "ui/window/window_layout.h"

namespace trainscope::ui {

MainWindow::MainWindow(MainWindowOptions options)
    : implementation_(std::make_unique<Implementation>(this, std::move(options))) {}

MainWindow::~MainWindow() = default;

bool MainWindow::quiet() const {
    return implementation_->quiet();
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    // Once the window is there, which comes up before those that were shown first.
    QTimer::singleShot(0, this, [this] { raiseFloatingDocks(*this); });
}

void MainWindow::closeEvent(QCloseEvent* event) {
    event->setAccepted(implementation_->close());
}

MainWindow::Implementation::Implementation(MainWindow* window, MainWindowOptions options)
    : window_(window),
      options_(std::move(options)),
      settings_(openSettings(options_.settingsFile)),
      actions_(window),
      session_(new TrainingSession(window)),
      charts_(new ChartPanel(window)),
      chartControls_(new ChartControls(charts_, actions_, this)),
      messages_(new MessageBar(window)),
      setup_(new SetupPanel(window)),
      knobs_(new KnobsPanel(window)),
      log_(new LogPanel(window)),
      operators_(new OperatorsPanel(window)),
      kernels_(new KernelsPanel(window)),
      progress_(new RunProgress(window)),
      exports_(new ExportControl(window, *settings_, messages_)) {
    window_->setWindowIcon(programIcon());
    base_ = options_.run ? *options_.run : loadRunSettings(*settings_);
    setup_->setRun(base_);
    knobs_->setRun(base_);
    progress_->setIdle();
    chartControls_->load(*settings_);
    new ShortcutPriority(window_);  // the window's
    frame_ = new WindowFrame(window, actions_,
                             {.chartBar = chartControls_->makeBar(window),
                              .messages = messages_,
                              .charts = charts_,
                              .setup = setup_,
                              .knobs = knobs_,
                              .log = log_,
                              .operators = operators_,
                              .kernels = kernels_,
                              .progress = progress_});
    firstSize(*window_);
    frame_->arrange();
    restoreLayout(*settings_, *window_);
    connectActions();
    connectExports();
    connectKernels();
    connectHelp();
    connectPanels();
    connectSession();
    updateActions();
    updateTitle();
    preview();
    if (!options_.message.isEmpty()) {
        messages_->showError(options_.message);
    }
    if (options_.autostart) {
        QTimer::singleShot(0, this, [this] { onStart(); });
    }
}

MainWindow::Implementation::~Implementation() {
    delete exports_;         // ends what it writes
    delete kernelsControl_;  // cancels its bench
    delete session_;         // ends the training
}

void MainWindow::Implementation::connectActions() {
    connect(actions_.start, &QAction::triggered, this, [this] { onStart(); });
    connect(actions_.step, &QAction::triggered, this, [this] { onStep(); });
    connect(actions_.stop, &QAction::triggered, this, [this] {
        stopping_ = session_->state() == TrainingSession::State::training;
        if (stopping_) {
            progress_->setStopping();
        }
        session_->stop();
        updateActions();
    });
    connect(actions_.reset, &QAction::triggered, this, [this] { reset(); });
    connect(actions_.evaluate, &QAction::triggered, this,
            [this] { session_->send(EvaluateNow{}); });
    connect(actions_.summary, &QAction::triggered, this, [this] { showSummary(); });
    connect(actions_.exportRun, &QAction::triggered, this,
            [this] { exports_->ask(session_->run(), charts_->settings()); });
    connect(actions_.exportPrevious, &QAction::triggered, this, [this] {
        ChartSettings look = charts_->settings();
        look.x_range.reset();  // what is in view is of another run
        look.memory_budget = previous_.memoryBudget;
        look.emulated = previous_.emulated;
        exports_->ask(previous_, look);
    });
    connect(log_, &LogPanel::activated, charts_, &ChartPanel::showStep);
    connect(charts_, &ChartPanel::cursorText, frame_, &WindowFrame::showCursor);
    connect(actions_.quit, &QAction::triggered, window_, &QWidget::close);
}

void MainWindow::Implementation::connectExports() {
    connect(exports_, &ExportControl::started, this, [this](const QString& folder) {
        frame_->showTask(MainWindow::tr("Exporting to %1...").arg(folder));
        frame_->offerToCancelExport(true);
    });
    connect(exports_, &ExportControl::ended, this, [this] {
        frame_->showTask({});
        frame_->offerToCancelExport(false);
        closeWhenQuiet();
    });
    connect(frame_, &WindowFrame::exportCancelled, exports_, &ExportControl::cancel);
}

void MainWindow::Implementation::connectKernels() {
    kernelsControl_ = new KernelsControl(kernels_, *settings_, [this] { return benchContext(); });
    connect(actions_.kernels, &QAction::triggered, frame_, &WindowFrame::showKernels);
    connect(kernelsControl_, &KernelsControl::ended, this, [this] { closeWhenQuiet(); });
}

void MainWindow::Implementation::connectHelp() {
    connect(actions_.resetLayout, &QAction::triggered, this, [this] { frame_->arrange(); });
    connect(actions_.fullScreen, &QAction::triggered, this, [this](bool on) {
        window_->setWindowState(on ? window_->windowState() | Qt::WindowFullScreen
                                   : window_->windowState() & ~Qt::WindowFullScreen);
    });
    const auto open = [](QDialog* dialog) {
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    };
    connect(actions_.shortcuts, &QAction::triggered, this,
            [this, open] { open(new ShortcutsDialog(*window_, window_)); });
    connect(actions_.about, &QAction::triggered, this,
            [this, open] { open(new AboutDialog(window_)); });
    connect(actions_.aboutQt, &QAction::triggered, this, [] { QApplication::aboutQt(); });
}

void MainWindow::Implementation::save() {
    saveLayout(*settings_, *window_);
    chartControls_->save(*settings_);
    saveRunSettings(*settings_, chosen());
    settings_->sync();
}

bool MainWindow::Implementation::close() {
    if (!closing_) {
        save();
        closing_ = true;
        frame_->disable();
        if (session_->state() == TrainingSession::State::training) {
            progress_->setStopping();
        }
        frame_->showTask(MainWindow::tr("Stopping..."));
        connect(session_, &TrainingSession::shutDown, this, [this] {
            sessionEnded_ = true;
            closeWhenQuiet();
        });
        kernelsControl_->cancel();
        session_->shutdown();
        if (options_.closingPatience) {
            QTimer::singleShot(*options_.closingPatience, this, [this] {
                patienceEnded_ = true;
                closeWhenQuiet();
            });
        }
    }
    return mayClose();
}

bool MainWindow::Implementation::mayClose() const {
    return ((sessionEnded_ && !kernelsControl_->busy()) || patienceEnded_) && !exports_->busy();
}

void MainWindow::Implementation::closeWhenQuiet() {
    if (closing_ && mayClose()) {
        window_->close();
    }
}

}  // namespace trainscope::ui
