// SPDX-License-Identifier: GPL-3.0-or-later
// How the view of the charts answers to the mouse, keys and new data.
#include <gmock/gmock.h>

#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/ui/charts_fixture.h"
#include "tests/ui/charts_run.h"

namespace trainscope::ui {
namespace {

TEST_F(Charts, HoveringShowsTheValuesOfTheNearestStepOnAllCharts) {
    panel.setTelemetry(plainRun(3000));
    QSignalSpy words(&panel, &ChartPanel::cursorText);
    send(ChartId::throughput, QEvent::MouseMove, inPlot(ChartId::throughput, 0.5), Qt::NoButton);
    ASSERT_FALSE(words.isEmpty());
    const QString text = words.last().first().toString();
    for (const char* part :
         {"step 1", "Loss: train ", "Throughput: each step ", "activations", "samples/s", "MiB"}) {
        EXPECT_TRUE(text.contains(QString::fromLatin1(part))) << text.toStdString();
    }
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&view(ChartId::throughput), &leave);
    EXPECT_TRUE(words.last().first().toString().isEmpty());
}

TEST_F(Charts, TheReadoutHasTheValuesOfItsStep) {
    panel.setTelemetry(plainRun(3000));
    const auto rows = view(ChartId::memory).chart().readout(100);
    ASSERT_EQ(rows.size(), 7u);
    EXPECT_EQ(rows.front().name, QStringLiteral("peak"));
    EXPECT_EQ(rows.back().name, QStringLiteral("parameters"));
    EXPECT_EQ(rows.back().value, QStringLiteral("1.172\u00a0MiB"));
    EXPECT_EQ(rows[3].name, QStringLiteral("activations"));
    EXPECT_EQ(rows[3].value, QStringLiteral("1.938\u00a0MiB"));  // 32 * 62 KiB
}

TEST_F(Charts, TheWheelZoomsAllChartsAroundTheCursor) {
    panel.setTelemetry(plainRun(3000));
    const double x = picture(ChartId::loss).xValue(inPlot(ChartId::loss, 0.25).x());
    const double width = picture(ChartId::loss).x.high - picture(ChartId::loss).x.low;
    wheel(ChartId::loss, 0.25, 240);
    const ChartPicture& p = picture(ChartId::memory);
    EXPECT_NEAR(p.x.high - p.x.low, width / (1.25 * 1.25), width * 1e-6);
    EXPECT_NEAR(p.xValue(inPlot(ChartId::loss, 0.25).x()), x, width * 0.001);
}

TEST_F(Charts, DraggingPansAndEndsFollowing) {
    panel.setTelemetry(plainRun(3000));
    panel.zoom(4);
    ASSERT_TRUE(panel.follow());
    QSignalSpy follow(&panel, &ChartPanel::followChanged);
    const Interval before = picture(ChartId::loss).x;
    drag(ChartId::loss, 0.3, 0.6, Qt::LeftButton);
    const Interval after = picture(ChartId::loss).x;
    EXPECT_NEAR(before.low - after.low, 0.3 * (before.high - before.low),
                0.01 * (before.high - before.low));
    EXPECT_FALSE(panel.follow());
    ASSERT_EQ(follow.size(), 1);
    EXPECT_FALSE(follow.first().first().toBool());
}

TEST_F(Charts, ARubberBandShowsWhatItSpans) {
    panel.setTelemetry(plainRun(3000));
    const double low = picture(ChartId::loss).xValue(inPlot(ChartId::loss, 0.2).x());
    const double high = picture(ChartId::loss).xValue(inPlot(ChartId::loss, 0.4).x());
    drag(ChartId::loss, 0.4, 0.2, Qt::RightButton);
    EXPECT_NEAR(picture(ChartId::memory).x.low, low, 1);
    EXPECT_NEAR(picture(ChartId::memory).x.high, high, 1);
    panel.fitAll();
    drag(ChartId::memory, 0.5, 0.7, Qt::LeftButton, Qt::ShiftModifier);
    EXPECT_NEAR(picture(ChartId::loss).x.low, 0.5 * 96'000, 300);
}

TEST_F(Charts, ADoubleClickShowsEverything) {
    panel.setTelemetry(plainRun(3000));
    panel.zoom(10);
    send(ChartId::loss, QEvent::MouseButtonDblClick, inPlot(ChartId::loss, 0.5), Qt::LeftButton);
    EXPECT_EQ(picture(ChartId::loss).x.low, 0);
    EXPECT_EQ(picture(ChartId::loss).x.high, 96'000);
    EXPECT_FALSE(panel.settings().x_range.has_value());
}

TEST_F(Charts, AStepIsShownInTheMiddleAtTheZoomThereIs) {
    panel.showStep(5);  // nothing to show it in
    panel.setTelemetry(plainRun(3000));
    panel.showStep(1000);
    Interval shown = picture(ChartId::memory).x;
    EXPECT_NEAR((shown.low + shown.high) / 2, 32'000, 1);
    EXPECT_NEAR(shown.high - shown.low, 96'000 / 8.0, 200);
    EXPECT_FALSE(panel.follow());
    panel.showStep(2000);
    shown = picture(ChartId::loss).x;
    EXPECT_NEAR((shown.low + shown.high) / 2, 64'000, 1);
    EXPECT_NEAR(shown.high - shown.low, 96'000 / 8.0, 200);
    panel.showStep(1'000'000);  // of a run that was longer
    EXPECT_GT(picture(ChartId::loss).x.high, 96'000);
}

TEST_F(Charts, KeysZoomPanAndGoToBothEnds) {
    panel.setTelemetry(plainRun(3000));
    const auto width = [this] {
        return picture(ChartId::loss).x.high - picture(ChartId::loss).x.low;
    };
    const double all = width();
    QTest::keyClick(&panel, Qt::Key_Plus);
    QTest::keyClick(&panel, Qt::Key_Plus);
    EXPECT_NEAR(width(), all / 2.25, all * 0.01);
    QTest::keyClick(&panel, Qt::Key_Home);
    EXPECT_LE(picture(ChartId::loss).x.low, 0);
    EXPECT_FALSE(panel.follow());
    const double low = picture(ChartId::loss).x.low;
    QTest::keyClick(&panel, Qt::Key_Right);
    EXPECT_NEAR(picture(ChartId::loss).x.low, low + 0.1 * width(), 1);
    QTest::keyClick(&panel, Qt::Key_Left);
    EXPECT_NEAR(picture(ChartId::loss).x.low, low, 1);
    QTest::keyClick(&panel, Qt::Key_End);
    EXPECT_GE(picture(ChartId::loss).x.high, 96'000);
    EXPECT_TRUE(panel.follow());
    QTest::keyClick(&panel, Qt::Key_Minus);
    EXPECT_GT(width(), all / 2);
}

TEST_F(Charts, WhileFollowingNewStepsComeIntoView) {
    auto telemetry = plainRun(1000);
    panel.setTelemetry(telemetry);
    panel.zoom(5);
    const double width = picture(ChartId::loss).x.high - picture(ChartId::loss).x.low;
    for (std::size_t i = 1000; i < 2000; ++i) {
        const auto step = static_cast<double>(i + 1);
        telemetry->append(stepSample(i, step * 32, 32, step * 0.002));
    }
    panel.refresh();
    EXPECT_GE(picture(ChartId::loss).x.high, 64'000);
    EXPECT_NEAR(picture(ChartId::loss).x.high - picture(ChartId::loss).x.low, width, 1);
}

TEST_F(Charts, WithoutFollowingTheViewStays) {
    auto telemetry = plainRun(1000);
    panel.setTelemetry(telemetry);
    panel.setFollow(false);
    const Interval before = picture(ChartId::loss).x;
    for (std::size_t i = 1000; i < 3000; ++i) {
        const auto step = static_cast<double>(i + 1);
        telemetry->append(stepSample(i, step * 32, 32, step * 0.002));
    }
    panel.refresh();
    EXPECT_EQ(picture(ChartId::loss).x.low, before.low);
    EXPECT_EQ(picture(ChartId::loss).x.high, before.high);
}

TEST_F(Charts, AnotherXAxisShowsTheSameData) {
    panel.setTelemetry(plainRun(3000));
    panel.setFollow(false);
    drag(ChartId::loss, 0.25, 0.5, Qt::RightButton);
    const Interval samples = picture(ChartId::loss).x;
    panel.setXAxis(XAxis::steps);
    EXPECT_NEAR(picture(ChartId::loss).x.low, samples.low / 32, 0.01);
    EXPECT_NEAR(picture(ChartId::loss).x.high, samples.high / 32, 0.01);
    EXPECT_EQ(picture(ChartId::loss).x_title, QStringLiteral("steps"));
    panel.setXAxis(XAxis::samples);
    EXPECT_NEAR(picture(ChartId::loss).x.low, samples.low, 0.1);
    EXPECT_FALSE(panel.follow());
}

}  // namespace
}  // namespace trainscope::ui
