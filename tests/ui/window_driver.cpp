// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/window_driver.h"

#include <gmock/gmock.h>

#include <QElapsedTimer>
#include <QTest>

#include "ui/widgets/message_bar.h"

namespace trainscope::ui {

bool becomes(const std::function<bool()>& so, int milliseconds) {
    return QTest::qWaitFor(so, milliseconds);
}

RunSettings smallRun() {
    RunSettings run;
    run.dataset.name = "digits";
    run.dataset.train_count = 600;
    run.dataset.test_count = 60;
    run.threads = 1;
    run.micro_batch = 16;
    return run;
}

WindowDriver::WindowDriver(std::optional<RunSettings> run,
                           std::optional<std::chrono::milliseconds> patience)
    : patience_(patience) {
    open(std::move(run));
}

void WindowDriver::open(std::optional<RunSettings> run) {
    MainWindowOptions options;
    options.settingsFile = QString::fromStdString((folder() / "settings.ini").string());
    options.run = std::move(run);
    options.closingPatience = patience_;
    window_ = std::make_unique<MainWindow>(std::move(options));
    window_->show();
}

void WindowDriver::reopen(std::optional<RunSettings> run) {
    window_.reset();
    open(std::move(run));
}

TrainingSession& WindowDriver::session() {
    return *window_->findChild<TrainingSession*>();
}

QAction* WindowDriver::action(const char* name) {
    return window_->findChild<QAction*>(QStringLiteral("action_") + QLatin1String(name));
}

void WindowDriver::press(const char* name) {
    QAction* pressed = action(name);
    ASSERT_NE(pressed, nullptr) << name;
    ASSERT_TRUE(pressed->isEnabled()) << name;
    pressed->trigger();
}

bool WindowDriver::started() {
    press("start");
    return becomes([this] { return steps() >= 3; });
}

std::int64_t WindowDriver::steps() {
    return session().status().step;
}

QString WindowDriver::message() {
    return window_->findChild<MessageBar*>()->text();
}

QString WindowDriver::annotation(const std::string& what) {
    QString found;
    becomes([&] {
        const auto telemetry = session().run().telemetry;
        if (telemetry) {
            for (const Annotation& row : telemetry->annotations()) {
                if (row.what == what) {
                    found = QString::fromStdString(row.text());
                }
            }
        }
        return !found.isEmpty();
    });
    return found;
}

double WindowDriver::closeSeconds() {
    QElapsedTimer clock;
    clock.start();
    window_->close();
    const bool closed = becomes([this] { return !window_->isVisible(); }, 10'000);
    return closed ? static_cast<double>(clock.elapsed()) / 1000 : -1;
}

}  // namespace trainscope::ui
