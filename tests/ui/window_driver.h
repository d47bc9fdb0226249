// SPDX-License-Identifier: GPL-3.0-or-later
// A window under test: its settings in a folder of its own, a small data set, and what a person
// would press and see.
#pragma once

#include <QAction>
#include <QPointer>
#include <QString>
#include <chrono>
#include <functional>
#include <memory>

#include "engine/train/telemetry.h"
#include "tests/support/shared.h"
#include "ui/main_window.h"
#include "ui/session/training_session.h"

namespace trainscope::ui {

// Lets the window work until it is so, or `milliseconds` have passed.
bool becomes(const std::function<bool()>& so, int milliseconds = 20'000);

// Generated digits, few of them, by the small network on one thread, without an end.
RunSettings smallRun();

class WindowDriver {
  public:
    // patience: of closing.
    explicit WindowDriver(std::optional<RunSettings> run = smallRun(),
                          std::optional<std::chrono::milliseconds> patience = std::nullopt);

    MainWindow& window() { return *window_; }
    TrainingSession& session();
    template <class T>
    T* part(const char* name = "") {
        return window_->findChild<T*>(QLatin1String(name));
    }
    QAction* action(const char* name);  // "start"
    void press(const char* name);       // fails the test where it is disabled
    bool started();                     // presses Start and waits for the first steps
    std::int64_t steps();
    QString message();  // in the bar above the charts
    // The answer to a knob as it was recorded, once it is there; empty after a while.
    QString annotation(const std::string& what);
    // Closes and waits; how long that took. Negative: it did not close.
    double closeSeconds();
    // The same settings, as at the next start of the program.
    void reopen(std::optional<RunSettings> run = std::nullopt);
    const std::filesystem::path& folder() const { return folder_.path(); }

  private:
    void open(std::optional<RunSettings> run);

    testing::TemporaryFolder folder_;
    std::optional<std::chrono::milliseconds> patience_;
    std::unique_ptr<MainWindow> window_;
};

}  // namespace trainscope::ui
