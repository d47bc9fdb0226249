// SPDX-License-Identifier: GPL-3.0-or-later
// The window: makes the panels, the session and the actions, and wires them. No panel knows
// another.
#pragma once

#include <QMainWindow>
#include <QString>
#include <chrono>
#include <memory>
#include <optional>

#include "ui/run_settings.h"

namespace trainscope::ui {

struct MainWindowOptions {
    QString settingsFile;            // an INI file; empty: the user's own settings
    std::optional<RunSettings> run;  // what to open with; nullopt: what was used last
    QString message = {};            // to show at the start; empty: none
    bool autostart = false;          // press Start once the window is there
    // How long closing waits for what runs; nullopt: until it has ended. Afterwards see quiet().
    std::optional<std::chrono::milliseconds> closingPatience;
};

class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    explicit MainWindow(MainWindowOptions options = {});
    ~MainWindow() override;  // waits for what runs

    // Closed, and nothing of it runs any more: it can be destroyed at once.
    bool quiet() const;

  protected:
    // While something runs the window asks it to end, and closes by itself once it has. It always
    // waits for an export to be written.
    void closeEvent(QCloseEvent* event) override;
    void showEvent(QShowEvent* event) override;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace trainscope::ui
