// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that can be asked of the window, once: menus, toolbars, shortcuts and tests share
// these actions. They do nothing by themselves; the window connects them.
#pragma once

#include <QAction>
#include <QActionGroup>
#include <QMainWindow>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "ui/charts/chart_table.h"

namespace trainscope::ui {

struct XAxisName {
    XAxis axis;
    const char* name;   // in settings: "samples"
    const char* title;  // untranslated
};
// In the order they are offered.
std::span<const XAxisName> xAxisTable();

// Weights of the past that smoothing can be set to, none to most.
inline constexpr std::array<double, 8> smoothingLevels = {0,    0.5,  0.8,   0.9,
                                                          0.95, 0.98, 0.995, 0.999};
QString smoothingTitle(double level);

struct WindowActions {
    // Owned by the window.
    explicit WindowActions(QMainWindow* window);

    QAction* start = nullptr;  // also pauses and resumes; see showStart
    QAction* step = nullptr;
    QAction* stop = nullptr;
    QAction* reset = nullptr;
    QAction* evaluate = nullptr;
    QAction* summary = nullptr;
    QAction* exportRun = nullptr;
    QAction* exportPrevious = nullptr;
    QAction* quit = nullptr;

    QActionGroup* xAxis = nullptr;      // data: int(XAxis)
    QActionGroup* smoothing = nullptr;  // data: index of smoothingLevels
    QActionGroup* charts = nullptr;     // data: int(ChartId), not exclusive
    QAction* logLoss = nullptr;
    QAction* follow = nullptr;
    QAction* fit = nullptr;
    QAction* zoomIn = nullptr;
    QAction* zoomOut = nullptr;

    QAction* kernels = nullptr;
    QAction* resetLayout = nullptr;
    QAction* fullScreen = nullptr;
    QAction* shortcuts = nullptr;
    QAction* about = nullptr;
    QAction* aboutQt = nullptr;

    enum class Start { start, pause, resume };
    void showStart(Start what) const;
};

// `panels` are the actions that show and hide docks and toolbars.
void buildMenus(QMainWindow* window, const WindowActions& actions, const QList<QAction*>& panels);

}  // namespace trainscope::ui
