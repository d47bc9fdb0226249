// SPDX-License-Identifier: GPL-3.0-or-later
// How the window ends, in the middle of anything, and what of it is there at the next start.
#include <gmock/gmock.h>

#include <QDockWidget>
#include <QTest>

#include "tests/ui/window_driver.h"
#include "ui/charts/chart_panel.h"
#include "ui/knobs/knobs_panel.h"
#include "ui/panels/setup_panel.h"
#include "ui/window/window_layout.h"

namespace trainscope::ui {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Lt;
using State = TrainingSession::State;

constexpr double aSecond = 1.0;

TEST(WindowEnd, ClosedWhileTrainingItEndsWithinASecondTwentyTimes) {
    for (int i = 0; i < 20; ++i) {
        WindowDriver driver;
        ASSERT_TRUE(driver.started());
        EXPECT_THAT(driver.closeSeconds(), AllOf(Ge(0), Lt(aSecond)));
    }
}

TEST(WindowEnd, ClosedWhileDataIsOpenedItEndsWithinASecond) {
    RunSettings run = smallRun();
    run.dataset.train_count = 300'000;  // takes seconds to draw
    WindowDriver driver(run);
    driver.press("start");
    QTest::qWait(50);
    ASSERT_EQ(driver.session().state(), State::opening);
    EXPECT_THAT(driver.closeSeconds(), AllOf(Ge(0), Lt(aSecond)));
}

// A batch of it takes seconds.
RunSettings hugeBatch() {
    RunSettings run = smallRun();
    run.model = "vgg-small";
    run.dataset.train_count = 1000;
    run.micro_batch = 1000;
    return run;
}

TEST(WindowEnd, ClosedInTheMiddleOfAHugeBatchItEndsWithinASecond) {
    WindowDriver driver(hugeBatch(), std::chrono::milliseconds(300));
    driver.press("start");
    ASSERT_TRUE(becomes([&] { return driver.session().state() == State::training; }));
    QTest::qWait(300);
    ASSERT_EQ(driver.steps(), 0);
    EXPECT_THAT(driver.closeSeconds(), AllOf(Ge(0), Lt(aSecond)));
}

TEST(WindowEnd, ClosedWithoutPatienceItSaysThatSomethingStillRuns) {
    WindowDriver driver(hugeBatch(), std::chrono::milliseconds(0));
    driver.press("start");
    ASSERT_TRUE(becomes([&] { return driver.session().state() == State::training; }));
    QTest::qWait(300);
    ASSERT_GE(driver.closeSeconds(), 0);
    EXPECT_FALSE(driver.window().quiet());
    EXPECT_TRUE(becomes([&] { return driver.window().quiet(); }));
}

TEST(WindowEnd, ClosedWithPatienceItIsQuiet) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    ASSERT_GE(driver.closeSeconds(), 0);
    EXPECT_TRUE(driver.window().quiet());
}

TEST(WindowEnd, DestroyedWhileTrainingItEndsCleanly) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    driver.reopen();
    EXPECT_EQ(driver.session().state(), State::idle);
}

TEST(WindowEnd, WhatWasChosenIsThereAgainAtTheNextStart) {
    RunSettings run = smallRun();
    run.model = "bn-cnn";
    run.accumulation = 4;
    run.seed = 77;
    WindowDriver driver(run);
    driver.press("x_epochs");
    driver.press("log_loss");
    ASSERT_GE(driver.closeSeconds(), 0);
    driver.reopen();
    RunSettings found;
    driver.part<SetupPanel>()->writeTo(found);
    driver.part<KnobsPanel>()->writeTo(found);
    EXPECT_EQ(found.model, "bn-cnn");
    EXPECT_EQ(found.accumulation, 4);
    EXPECT_EQ(found.seed, 77U);
    EXPECT_EQ(found.dataset.train_count, 600);
    EXPECT_EQ(driver.part<ChartPanel>()->xAxis(), XAxis::epochs);
    EXPECT_TRUE(driver.part<ChartPanel>()->logLoss());
}

TEST(WindowEnd, ClosedPanelStaysClosedAndResetLayoutBringsItBack) {
    WindowDriver driver;
    driver.part<QDockWidget>("dock_log")->close();
    ASSERT_GE(driver.closeSeconds(), 0);
    driver.reopen();
    EXPECT_FALSE(driver.part<QDockWidget>("dock_log")->isVisible());
    driver.press("reset_layout");
    EXPECT_TRUE(driver.part<QDockWidget>("dock_log")->isVisible());
}

TEST(WindowEnd, WindowOutsideAllScreensIsPulledBackAndOthersStay) {
    const QList<QRect> screens = {QRect(0, 0, 1280, 800)};
    EXPECT_EQ(pulledOnto(QRect(100, 50, 900, 600), screens), QRect(100, 50, 900, 600));
    const QRect moved = pulledOnto(QRect(3000, 200, 900, 600), screens);
    EXPECT_TRUE(screens[0].contains(moved));
    EXPECT_EQ(moved.size(), QSize(900, 600));
    EXPECT_TRUE(screens[0].contains(pulledOnto(QRect(0, -2000, 4000, 3000), screens)));
}

}  // namespace
}  // namespace trainscope::ui
