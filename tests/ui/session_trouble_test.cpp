// SPDX-License-Identifier: GPL-3.0-or-later
// A run that is stopped while it is opened, and a heap that is exhausted at any moment: the window
// says so and goes on.
#include <gmock/gmock.h>

#include <QTest>
#include <chrono>
#include <thread>

#include "tests/support/heap.h"
#include "tests/ui/window_driver.h"

namespace trainscope::ui {
namespace {

using testing::ExhaustedHeap;
using State = TrainingSession::State;

TEST(SessionTrouble, StopPressedBeforeTheWindowHeardThatTheRunIsOpenStillStopsIt) {
    WindowDriver driver;
    driver.press("start");
    std::this_thread::sleep_for(std::chrono::seconds(1));  // opened, but no event was handled
    ASSERT_EQ(driver.session().state(), State::opening);
    driver.press("stop");
    ASSERT_TRUE(becomes([&] { return driver.session().state() != State::opening; }));
    EXPECT_EQ(driver.session().state(), State::idle);
    EXPECT_EQ(driver.message(), "Stopped before the training began.");
    EXPECT_TRUE(driver.started());
}

TEST(SessionTrouble, StopPressedWhileMemoryIsTakenStopsTheRun) {
    WindowDriver driver;
    driver.press("start");
    driver.press("stop");
    ASSERT_TRUE(becomes([&] { return driver.session().state() != State::opening; }));
    EXPECT_EQ(driver.session().state(), State::idle);
}

// Asks for the graph with one allocation failing; what the window was told.
QString previewError(TrainingSession& session, long allocation, bool& failed) {
    QString told;
    bool answered = false;
    const auto heard = [&](const QString& error) {
        told = error;
        answered = true;
    };
    QObject context;
    QObject::connect(&session, &TrainingSession::previewed, &context,
                     [&](const auto&, bool, const QString& error) { heard(error); });
    QObject::connect(&session, &TrainingSession::failed, &context, heard);
    const ExhaustedHeap heap(allocation);
    session.preview(session.settings(), true);
    EXPECT_TRUE(becomes([&] { return answered; })) << allocation;
    failed = heap.failed();
    return told;
}

TEST(SessionTrouble, WhicheverAllocationOfALookAtTheModelFailsItSaysSoAndTrainingGoesOn) {
    if (!testing::heap_is_ours) {
        GTEST_SKIP() << "a sanitizer's heap cannot be exhausted";
    }
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    driver.session().pause();
    ASSERT_TRUE(becomes([&] { return driver.session().status().state == TrainerState::paused; }));
    QTest::qWait(500);  // for what the window asked for itself
    int errors = 0;
    bool failed = true;
    for (long i = 0; failed; ++i) {
        const QString error = previewError(driver.session(), i, failed);
        errors += error.contains(QLatin1String("ran out of memory")) ? 1 : 0;
        ASSERT_EQ(error.isEmpty(), !failed) << i << error.toStdString();
    }
    EXPECT_GT(errors, 20);
    const std::int64_t steps = driver.steps();
    driver.session().resume();
    EXPECT_TRUE(becomes([&] { return driver.steps() > steps; }));
}

TEST(SessionTrouble, WhicheverLargeAllocationOfAnOpeningFailsTheWindowSaysSoAndTheNextStartWorks) {
    if (!testing::heap_is_ours) {
        GTEST_SKIP() << "a sanitizer's heap cannot be exhausted";
    }
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    driver.press("reset");
    QTest::qWait(500);
    int errors = 0;
    bool failed = true;
    for (long i = 0; failed && i < 200; ++i) {
        // nlohmann's destructors allocate a little, and end the program where they cannot.
        const ExhaustedHeap heap(i, 512);
        QString told;
        QObject context;
        QObject::connect(&driver.session(), &TrainingSession::failed, &context,
                         [&](const QString& error) { told = error; });
        QObject::connect(
            &driver.session(), &TrainingSession::finished, &context,
            [&](const TrainerStatus& status) { told = QString::fromStdString(status.error); });
        driver.session().start(smallRun());
        // Either it does not begin, or it fails, or it trains.
        ASSERT_TRUE(becomes([&] {
            const State state = driver.session().state();
            return !told.isEmpty() || (state == State::training && driver.steps() > 3);
        })) << i;
        failed = heap.failed();
        errors += told.contains(QLatin1String("ran out of memory")) ? 1 : 0;
        driver.session().reset();
    }
    EXPECT_GT(errors, 3);
    EXPECT_TRUE(driver.started());
}

}  // namespace
}  // namespace trainscope::ui
