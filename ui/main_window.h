// SPDX-License-Identifier: GPL-3.0-or-later
// The window: makes the panels, the session and the actions, and wires them. No panel knows
// another.
#pragma once

#include <QMainWindow>
#include <QString>
#include <memory>
#include <optional>

#include "ui/run_settings.h"

namespace trainscope::ui {

struct MainWindowOptions {
    QString settingsFile;            // an INI file; empty: the user's own settings
    std::optional<RunSettings> run;  // what to open with; nullopt: what was used last
    bool autostart = false;          // press Start once the window is there
};

class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    explicit MainWindow(MainWindowOptions options = {});
    ~MainWindow() override;

  protected:
    // While something runs the window asks it to end, and closes by itself once it has.
    void closeEvent(QCloseEvent* event) override;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace trainscope::ui
