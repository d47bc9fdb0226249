// SPDX-License-Identifier: GPL-3.0-or-later
// The window's parts and where they stand; what happens with a training is in main_window_run.cpp.
#include "ui/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QMenuBar>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "ui/main_window_implementation.h"
#include "ui/theme/icons.h"
#include "ui/window/elided_label.h"
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
      progress_(new RunProgress(window)),
      exports_(new ExportControl(window, *settings_, messages_)) {
    base_ = options_.run ? *options_.run : loadRunSettings(*settings_);
    setup_->setRun(base_);
    knobs_->setRun(base_);
    progress_->setIdle();
    chartControls_->load(*settings_);
    build();
    new ShortcutPriority(window_);  // the window's
    connectActions();
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
    delete exports_;  // ends what it writes
    delete session_;  // ends the training
}

void MainWindow::Implementation::build() {
    window_->setWindowIcon(programIcon());
    window_->setDockOptions(QMainWindow::AnimatedDocks | QMainWindow::AllowNestedDocks |
                            QMainWindow::AllowTabbedDocks);
    window_->setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    window_->setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    window_->setCentralWidget(buildCentre());
    toolBar_ = buildToolBar();
    window_->addToolBar(Qt::TopToolBarArea, toolBar_);
    setupDock_ = addDock(Qt::LeftDockWidgetArea, "dock_setup", MainWindow::tr("Setup"), setup_);
    knobsDock_ = addDock(Qt::RightDockWidgetArea, "dock_knobs", MainWindow::tr("Knobs"), knobs_);
    logDock_ = addDock(Qt::BottomDockWidgetArea, "dock_log", MainWindow::tr("Log"), log_);
    buildMenus(window_, actions_,
               {setupDock_->toggleViewAction(), knobsDock_->toggleViewAction(),
                logDock_->toggleViewAction(), toolBar_->toggleViewAction()});
    buildStatusBar();
    firstSize(*window_);
    arrange();
    restoreLayout(*settings_, *window_);
}

QWidget* MainWindow::Implementation::buildCentre() {
    auto* centre = new QWidget(window_);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(chartControls_->makeBar(centre));
    column->addWidget(messages_);
    column->addWidget(charts_, 1);
    return centre;
}

QToolBar* MainWindow::Implementation::buildToolBar() {
    auto* bar = new QToolBar(MainWindow::tr("Run Controls"), window_);
    bar->setObjectName(QStringLiteral("toolbar_run"));
    bar->setIconSize(QSize(22, 22));
    bar->setToolButtonStyle(Qt::ToolButtonIconOnly);
    bar->addActions({actions_.start, actions_.step, actions_.stop, actions_.reset});
    bar->addSeparator();
    bar->addWidget(progress_);
    progress_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addSeparator();
    bar->addActions({actions_.evaluate, actions_.exportRun});
    for (QAction* action : {actions_.start, actions_.stop, actions_.exportRun}) {
        if (auto* button = qobject_cast<QToolButton*>(bar->widgetForAction(action))) {
            button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        }
    }
    if (QWidget* start = bar->widgetForAction(actions_.start)) {
        // Wide enough for each of its texts, so that the buttons beside it stay where they are.
        const QFontMetrics metrics = start->fontMetrics();
        start->setMinimumWidth(start->sizeHint().width() +
                               metrics.horizontalAdvance(MainWindow::tr("Resume")) -
                               metrics.horizontalAdvance(MainWindow::tr("Start")));
    }
    return bar;
}

QDockWidget* MainWindow::Implementation::addDock(Qt::DockWidgetArea area, const char* name,
                                                 const QString& title, QWidget* panel) {
    auto* dock = new QDockWidget(title, window_);
    dock->setObjectName(QLatin1String(name));
    dock->setWidget(panel);
    window_->addDockWidget(area, dock);
    return dock;
}

void MainWindow::Implementation::arrange() {
    const std::pair<QDockWidget*, Qt::DockWidgetArea> places[] = {
        {setupDock_, Qt::LeftDockWidgetArea},
        {knobsDock_, Qt::RightDockWidgetArea},
        {logDock_, Qt::BottomDockWidgetArea}};
    for (const auto& [dock, area] : places) {
        dock->setFloating(false);
        window_->addDockWidget(area, dock);
        dock->show();
    }
    window_->addToolBar(Qt::TopToolBarArea, toolBar_);
    toolBar_->show();
    const int unit = window_->fontMetrics().averageCharWidth();
    window_->resizeDocks({setupDock_, knobsDock_}, {36 * unit, 42 * unit}, Qt::Horizontal);
    window_->resizeDocks({logDock_}, {9 * window_->fontMetrics().height()}, Qt::Vertical);
}

void MainWindow::Implementation::buildStatusBar() {
    cursorText_ = new ElidedLabel(window_);
    cursorText_->setObjectName(QStringLiteral("cursor_text"));
    runFacts_ = new QLabel(window_);
    runFacts_->setObjectName(QStringLiteral("run_facts"));
    window_->statusBar()->addWidget(cursorText_, 1);
    window_->statusBar()->addPermanentWidget(runFacts_);
    connect(charts_, &ChartPanel::cursorText, cursorText_, &QLabel::setText);
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
        exports_->ask(previous_, look);
    });
    connect(log_, &LogPanel::activated, charts_, &ChartPanel::showStep);
    connect(actions_.quit, &QAction::triggered, window_, &QWidget::close);
    connect(exports_, &ExportControl::started, this, [this](const QString& folder) {
        window_->statusBar()->showMessage(MainWindow::tr("Exporting to %1...").arg(folder));
    });
    connect(exports_, &ExportControl::ended, this, [this] {
        window_->statusBar()->clearMessage();
        closeWhenQuiet();
    });
}

void MainWindow::Implementation::connectHelp() {
    connect(actions_.resetLayout, &QAction::triggered, this, [this] { arrange(); });
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
        disableAll();
        if (session_->state() == TrainingSession::State::training) {
            progress_->setStopping();
        }
        window_->statusBar()->showMessage(MainWindow::tr("Stopping..."));
        connect(session_, &TrainingSession::shutDown, this, [this] {
            sessionEnded_ = true;
            closeWhenQuiet();
        });
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
    return (sessionEnded_ || patienceEnded_) && !exports_->busy();
}

void MainWindow::Implementation::closeWhenQuiet() {
    if (closing_ && mayClose()) {
        window_->close();
    }
}

void MainWindow::Implementation::disableAll() {
    for (QWidget* part : std::initializer_list<QWidget*>{window_->menuBar(), toolBar_, setup_,
                                                         knobs_, window_->centralWidget()}) {
        part->setEnabled(false);
    }
    for (QAction* action : window_->actions()) {
        action->setEnabled(false);  // their shortcuts
    }
}

}  // namespace trainscope::ui
