// SPDX-License-Identifier: GPL-3.0-or-later
// Where the parts of the window stand: docks, toolbar, the middle, menus and status bar. It knows
// nothing of a training.
#pragma once

#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>
#include <QPushButton>
#include <QToolBar>
#include <vector>

#include "ui/window/window_actions.h"

namespace trainscope::ui {

struct WindowParts {
    QWidget* chartBar = nullptr;
    QWidget* messages = nullptr;
    QWidget* charts = nullptr;
    QWidget* setup = nullptr;
    QWidget* knobs = nullptr;
    QWidget* log = nullptr;
    QWidget* operators = nullptr;
    QWidget* kernels = nullptr;
    QWidget* progress = nullptr;
};

class WindowFrame : public QObject {
    Q_OBJECT

  public:
    // The parts become the window's.
    WindowFrame(QMainWindow* window, const WindowActions& actions, const WindowParts& parts);

    void arrange();      // as at the first start
    void showKernels();  // brings the bench up, with room for its pictures
    void disable();      // everything but the status bar

    void showTask(const QString& text);  // what goes on, in the status bar; empty: nothing
    void showCursor(const QString& text);
    void showFacts(const QString& text);  // of the run
    void offerToCancelExport(bool on);

  Q_SIGNALS:
    void exportCancelled();

  private:
    QWidget* makeCentre(const WindowParts& parts);
    QToolBar* makeToolBar(const WindowActions& actions, QWidget* progress);
    QDockWidget* addDock(Qt::DockWidgetArea area, const char* name, const QString& title,
                         QWidget* panel);
    void buildStatusBar();

    QMainWindow* window_;
    QToolBar* toolBar_;
    struct Dock {
        QDockWidget* dock;
        Qt::DockWidgetArea area;  // at the first start
    };
    std::vector<Dock> docks_;
    QDockWidget* setup_;
    QDockWidget* knobs_;
    QDockWidget* log_;
    QDockWidget* kernels_;
    QLabel* cursor_ = nullptr;
    QLabel* facts_ = nullptr;
    QPushButton* cancelExport_ = nullptr;
};

}  // namespace trainscope::ui
