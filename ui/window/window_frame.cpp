// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/window_frame.h"

#include <QMenuBar>
#include <QStatusBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/widgets/elided_label.h"

namespace trainscope::ui {

WindowFrame::WindowFrame(QMainWindow* window, const WindowActions& actions,
                         const WindowParts& parts)
    : QObject(window), window_(window), toolBar_(makeToolBar(actions, parts.progress)) {
    window_->setDockOptions(QMainWindow::AnimatedDocks | QMainWindow::AllowNestedDocks |
                            QMainWindow::AllowTabbedDocks);
    window_->setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    window_->setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    window_->setCentralWidget(makeCentre(parts));
    window_->addToolBar(Qt::TopToolBarArea, toolBar_);
    setup_ = addDock(Qt::LeftDockWidgetArea, "dock_setup", tr("Setup"), parts.setup);
    knobs_ = addDock(Qt::RightDockWidgetArea, "dock_knobs", tr("Knobs"), parts.knobs);
    log_ = addDock(Qt::BottomDockWidgetArea, "dock_log", tr("Log"), parts.log);
    addDock(Qt::BottomDockWidgetArea, "dock_operators", tr("Layer times"), parts.operators);
    kernels_ = addDock(Qt::BottomDockWidgetArea, "dock_kernels", tr("Kernels"), parts.kernels);
    QList<QAction*> views;
    for (const Dock& each : docks_) {
        views.append(each.dock->toggleViewAction());
    }
    buildMenus(window_, actions, views << toolBar_->toggleViewAction());
    buildStatusBar();
}

QWidget* WindowFrame::makeCentre(const WindowParts& parts) {
    auto* centre = new QWidget(window_);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(parts.chartBar);
    column->addWidget(parts.messages);
    column->addWidget(parts.charts, 1);
    return centre;
}

QToolBar* WindowFrame::makeToolBar(const WindowActions& actions, QWidget* progress) {
    auto* bar = new QToolBar(tr("Run Controls"), window_);
    bar->setObjectName(QStringLiteral("toolbar_run"));
    bar->setIconSize(QSize(22, 22));
    bar->setToolButtonStyle(Qt::ToolButtonIconOnly);
    bar->addActions({actions.start, actions.step, actions.stop, actions.reset});
    bar->addSeparator();
    bar->addWidget(progress);
    progress->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addSeparator();
    bar->addActions({actions.evaluate, actions.exportRun});
    for (QAction* action : {actions.start, actions.stop, actions.exportRun}) {
        if (auto* button = qobject_cast<QToolButton*>(bar->widgetForAction(action))) {
            button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        }
    }
    if (QWidget* start = bar->widgetForAction(actions.start)) {
        // Wide enough for each of its texts, so that the buttons beside it stay where they are.
        const QFontMetrics metrics = start->fontMetrics();
        start->setMinimumWidth(start->sizeHint().width() + metrics.horizontalAdvance(tr("Resume")) -
                               metrics.horizontalAdvance(tr("Start")));
    }
    return bar;
}

QDockWidget* WindowFrame::addDock(Qt::DockWidgetArea area, const char* name, const QString& title,
                                  QWidget* panel) {
    auto* dock = new QDockWidget(title, window_);
    dock->setObjectName(QLatin1String(name));
    dock->setWidget(panel);
    window_->addDockWidget(area, dock);
    docks_.push_back({dock, area});
    return dock;
}

void WindowFrame::arrange() {
    for (const auto& [dock, area] : docks_) {
        dock->setFloating(false);
        window_->addDockWidget(area, dock);
        dock->show();
    }
    QDockWidget* last = log_;
    for (const auto& [dock, area] : docks_) {
        if (area == Qt::BottomDockWidgetArea && dock != last) {
            window_->tabifyDockWidget(last, dock);
            last = dock;
        }
    }
    log_->raise();
    window_->addToolBar(Qt::TopToolBarArea, toolBar_);
    toolBar_->show();
    const int unit = window_->fontMetrics().averageCharWidth();
    window_->resizeDocks({setup_, knobs_}, {36 * unit, 42 * unit}, Qt::Horizontal);
    window_->resizeDocks({log_}, {9 * window_->fontMetrics().height()}, Qt::Vertical);
}

void WindowFrame::showKernels() {
    kernels_->show();
    kernels_->raise();
    const int wanted = window_->height() / 2;
    if (!kernels_->isFloating() && kernels_->height() < wanted) {
        window_->resizeDocks({kernels_}, {wanted}, Qt::Vertical);
    }
    kernels_->widget()->setFocus();
}

void WindowFrame::buildStatusBar() {
    QStatusBar* bar = window_->statusBar();
    cursor_ = new ElidedLabel(window_);
    cursor_->setObjectName(QStringLiteral("cursor_text"));
    cancelExport_ = new QPushButton(tr("Cancel Export"), window_);
    cancelExport_->setObjectName(QStringLiteral("cancel_export"));
    facts_ = new QLabel(window_);
    facts_->setObjectName(QStringLiteral("run_facts"));
    bar->addWidget(cursor_, 1);
    bar->addPermanentWidget(cancelExport_);
    bar->addPermanentWidget(facts_);
    cancelExport_->hide();
    connect(cancelExport_, &QPushButton::clicked, this, &WindowFrame::exportCancelled);
}

void WindowFrame::disable() {
    for (QWidget* part : std::initializer_list<QWidget*>{
             window_->menuBar(), toolBar_, setup_->widget(), knobs_->widget(), kernels_->widget(),
             window_->centralWidget()}) {
        part->setEnabled(false);
    }
    for (QAction* action : window_->actions()) {
        action->setEnabled(false);  // their shortcuts
    }
}

void WindowFrame::showTask(const QString& text) {
    if (text.isEmpty()) {
        window_->statusBar()->clearMessage();
    } else {
        window_->statusBar()->showMessage(text);
    }
}

void WindowFrame::showCursor(const QString& text) {
    cursor_->setText(text);
}

void WindowFrame::showFacts(const QString& text) {
    facts_->setText(text);
}

void WindowFrame::offerToCancelExport(bool on) {
    cancelExport_->setVisible(on);
}

}  // namespace trainscope::ui
