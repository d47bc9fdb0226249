// SPDX-License-Identifier: GPL-3.0-or-later
// Ties the charts to the actions that change how they are shown, and to the bar above them.
#pragma once

#include <QObject>
#include <QSettings>
#include <QToolBar>

#include "ui/charts/chart_panel.h"
#include "ui/window/window_actions.h"

namespace trainscope::ui {

class ChartControls : public QObject {
    Q_OBJECT

  public:
    // All three outlive it.
    ChartControls(ChartPanel* charts, const WindowActions& actions, QObject* parent);

    QToolBar* makeBar(QWidget* parent);

    // What is missing or makes no sense is left at its default.
    void load(const QSettings& settings);
    void save(QSettings& settings) const;

  private:
    void choose(QActionGroup* group, int data);
    void setSmoothing(int index);
    QWidget* makeAxisChoice(QWidget* parent);
    QWidget* makeSmoothing(QWidget* parent);

    ChartPanel* charts_;
    const WindowActions& actions_;
    int smoothing_ = 0;
};

}  // namespace trainscope::ui
