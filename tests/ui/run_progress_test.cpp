// SPDX-License-Identifier: GPL-3.0-or-later
// State, epoch, speed and remaining time, from snapshots of a training.
#include "ui/panels/run_progress.h"

#include <gmock/gmock.h>

#include <QLabel>
#include <QProgressBar>

#include "ui/number_text.h"

namespace trainscope::ui {
namespace {

class Progress : public ::testing::Test {
  protected:
    Progress() {
        status.state = TrainerState::running;
        status.epoch_samples = 1000;
    }
    std::string text(const char* name) {
        return panel.findChild<QLabel*>(QLatin1String(name))->text().toStdString();
    }
    QProgressBar& bar() { return *panel.findChild<QProgressBar*>(); }
    void at(double seconds, std::int64_t samples) {
        status.active_seconds = seconds;
        status.samples = samples;
        status.epoch = samples / status.epoch_samples;
        status.epoch_offset = samples % status.epoch_samples;
        panel.setStatus(status);
    }
    RunProgress panel;
    TrainerStatus status;
};

TEST_F(Progress, IsEmptyBeforeTheFirstTraining) {
    EXPECT_EQ(text("runState"), "Not started");
    EXPECT_EQ(text("samplesPerSecond"), "");
    EXPECT_EQ(text("remainingTime"), "");
}

TEST_F(Progress, ShowsTheEpochOfAllAndItsPart) {
    status.epochs = 5;
    at(0, 2250);
    EXPECT_EQ(bar().text(), QStringLiteral("epoch 3 of 5"));
    EXPECT_EQ(bar().value(), bar().maximum() / 4);
    status.epochs = 0;
    at(0, 2250);
    EXPECT_EQ(bar().text(), QStringLiteral("epoch 3"));
}

TEST_F(Progress, IsFullAtTheEnd) {
    status.epochs = 2;
    status.state = TrainerState::finished;
    at(10, 2000);
    EXPECT_EQ(bar().text(), QStringLiteral("epoch 2 of 2"));
    EXPECT_EQ(bar().value(), bar().maximum());
    EXPECT_EQ(text("remainingTime"), "");
    EXPECT_EQ(text("runState"), "Finished");
}

TEST_F(Progress, RemainingTimeIsThatOfAllEpochsOrElseOfThisOne) {
    status.epochs = 3;
    at(0, 0);
    at(1, 10);
    EXPECT_EQ(text("samplesPerSecond"), "10 samples/s");
    EXPECT_EQ(text("remainingTime"), "4:59 left");
    status.epochs = 0;
    at(2, 20);
    EXPECT_EQ(text("remainingTime"), "1:38 left of epoch");
}

TEST_F(Progress, SpeedOfAnEmulationSaysThatItIsOne) {
    panel.setEmulated(true);
    at(0, 0);
    at(1, 10);
    EXPECT_EQ(text("samplesPerSecond"), "10 samples/s (emulation)");
}

TEST_F(Progress, SpeedIsThatOfTheLastSecondsOfTraining) {
    for (int second = 0; second <= 10; ++second) {
        at(second, 100 * second);
    }
    EXPECT_EQ(text("samplesPerSecond"), "100 samples/s");
    for (int second = 1; second <= 10; ++second) {
        at(10 + second, 1000 + 400 * second);
    }
    EXPECT_EQ(text("samplesPerSecond"), "400 samples/s");
}

TEST_F(Progress, APauseKeepsTheSpeed) {
    at(0, 0);
    at(1, 300);
    status.state = TrainerState::paused;
    at(1, 300);
    EXPECT_EQ(text("runState"), "Paused");
    EXPECT_EQ(text("samplesPerSecond"), "300 samples/s");
}

TEST_F(Progress, AnotherTrainingBeginsWithoutTheOldSpeed) {
    at(0, 0);
    at(1, 300);
    at(0, 0);
    EXPECT_EQ(text("samplesPerSecond"), "");
}

TEST_F(Progress, StoppingHoldsUntilTheTrainingIsDone) {
    panel.setStopping();
    at(1, 10);
    EXPECT_EQ(text("runState"), "Stopping\u2026");
    status.state = TrainerState::stopped;
    at(1, 10);
    EXPECT_EQ(text("runState"), "Stopped");
}

TEST(NumberText, DurationsAreMinutesAndHours) {
    EXPECT_EQ(durationText(0.9), QStringLiteral("0:00"));
    EXPECT_EQ(durationText(42), QStringLiteral("0:42"));
    EXPECT_EQ(durationText(3723), QStringLiteral("1:02:03"));
    EXPECT_EQ(durationText(-1), QString());
    EXPECT_EQ(durationText(std::numeric_limits<double>::quiet_NaN()), QString());
}

TEST(NumberText, AFloatReadsBackToItself) {
    for (const float value : {0.05F, 1e-7F, 0.1F, 3.0F, 123456.0F}) {
        EXPECT_EQ(static_cast<float>(*readNumber(floatText(value))), value);
    }
    EXPECT_EQ(floatText(0.05F), QStringLiteral("0.05"));
}

TEST(NumberText, NumbersAreReadInTheLocaleAndWithAPoint) {
    QLocale::setDefault(QLocale(QLocale::German));
    EXPECT_EQ(floatText(0.05F), QStringLiteral("0,05"));
    EXPECT_EQ(readNumber(QStringLiteral("0,05")), 0.05);
    EXPECT_EQ(readNumber(QStringLiteral("0.05")), 0.05);
    EXPECT_EQ(countText(31530), QStringLiteral("31.530"));
    QLocale::setDefault(QLocale::c());
    EXPECT_EQ(readNumber(QStringLiteral("fast")), std::nullopt);
}

}  // namespace
}  // namespace trainscope::ui
