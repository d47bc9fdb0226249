// SPDX-License-Identifier: GPL-3.0-or-later
// Ticks, their labels, and the part of the x axis that is shown.
#include <gmock/gmock.h>

#include <cmath>

#include "ui/charts/axis_labels.h"
#include "ui/charts/ticks.h"
#include "ui/charts/view_range.h"

namespace trainscope::ui {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

QStringList labels(const AxisTicks& axis) {
    QStringList texts;
    for (const AxisTick& tick : axis.ticks) {
        if (!tick.label.isEmpty()) {
            texts << tick.label;
        }
    }
    return texts;
}

QStringList labelsOf(Unit unit, double low, double high, int max_ticks,
                     const QLocale& locale = QLocale::c()) {
    return labels(axisTicks(unit, low, high, false, max_ticks, locale));
}

QStringList list(const char* words) {
    return QString::fromUtf8(words).split(QLatin1Char(' '));
}

TEST(Ticks, StepsAreOneTwoOrFiveTimesAPowerOfTen) {
    EXPECT_DOUBLE_EQ(niceStep(10, 5), 2);
    EXPECT_DOUBLE_EQ(niceStep(10, 10), 1);
    EXPECT_DOUBLE_EQ(niceStep(11, 5), 5);
    EXPECT_DOUBLE_EQ(niceStep(0.7, 7), 0.1);
    EXPECT_DOUBLE_EQ(niceStep(123456, 4), 50000);
}

TEST(Ticks, StandOnMultiplesOfTheStepEvenFarFromZero) {
    EXPECT_THAT(stepTicks(9.9, 30.1, 10), ElementsAre(10, 20, 30));
    EXPECT_THAT(stepTicks(-0.25, 0.25, 0.1),
                ElementsAre(DoubleNear(-0.2, 1e-12), DoubleNear(-0.1, 1e-12), 0,
                            DoubleNear(0.1, 1e-12), DoubleNear(0.2, 1e-12)));
    EXPECT_THAT(stepTicks(1e9 + 0.5, 1e9 + 2.5, 1), ElementsAre(1e9 + 1, 1e9 + 2));
}

TEST(Ticks, TimesGoInSecondsMinutesAndHoursPeopleUse) {
    EXPECT_EQ(niceTimeStep(60, 5), 15);
    EXPECT_EQ(niceTimeStep(100, 6), 30);
    EXPECT_EQ(niceTimeStep(3600, 6), 600);
    EXPECT_EQ(niceTimeStep(5 * 3600, 5), 3600);
    EXPECT_EQ(niceTimeStep(10 * 86400, 5), 2 * 86400);
    EXPECT_DOUBLE_EQ(niceTimeStep(1, 5), 0.2);
}

TEST(Ticks, ALogAxisLabelsOneTwoAndFiveOverFewDecades) {
    std::vector<double> labelled;
    std::size_t all = 0;
    for (const LogTick& tick : logTicks(0.1, 10, 8)) {
        ++all;
        if (tick.labelled) {
            labelled.push_back(tick.value);
        }
    }
    EXPECT_THAT(labelled, ElementsAre(DoubleNear(0.1, 1e-9), DoubleNear(0.2, 1e-9),
                                      DoubleNear(0.5, 1e-9), 1, 2, 5, 10));
    EXPECT_EQ(all, 19u);  // 2..9 of both decades are marked
}

TEST(Ticks, ALogAxisOverManyDecadesLabelsPowersOfTenOnly) {
    int labelled = 0;
    for (const LogTick& tick : logTicks(1e-12, 1, 4)) {
        const double exponent = std::log10(tick.value);
        EXPECT_NEAR(exponent, std::round(exponent), 1e-9);
        labelled += tick.labelled ? 1 : 0;
    }
    EXPECT_GE(labelled, 3);
    EXPECT_LE(labelled, 5);
}

TEST(Ticks, LessThanADecadeOfALogAxisHasEqualSteps) {
    std::vector<double> values;
    for (const LogTick& tick : logTicks(1.1, 1.5, 5)) {
        EXPECT_TRUE(tick.labelled);
        values.push_back(tick.value);
    }
    EXPECT_THAT(values,
                ElementsAre(DoubleNear(1.1, 1e-9), DoubleNear(1.2, 1e-9), DoubleNear(1.3, 1e-9),
                            DoubleNear(1.4, 1e-9), DoubleNear(1.5, 1e-9)));
}

TEST(Ticks, AnIntervalWithoutWidthGetsOne) {
    const Interval around = niceInterval(5, 5, 4);
    EXPECT_LT(around.low, 5);
    EXPECT_GT(around.high, 5);
    const Interval zero = niceInterval(0, 0, 4);
    EXPECT_LT(zero.low, zero.high);
    const Interval log = niceLogInterval(1, 1);
    EXPECT_LT(log.low, log.high);
}

TEST(Labels, CountsAreShortened) {
    EXPECT_EQ(labelsOf(Unit::count, 0, 2000, 4), list("0 500 1000 1500 2000"));
    EXPECT_EQ(labelsOf(Unit::count, 0, 20000, 4), list("0 5k 10k 15k 20k"));
    EXPECT_EQ(labelsOf(Unit::count, 0, 2e6, 4), list("0 500k 1M 1.5M 2M"));
}

TEST(Labels, CountsZoomedInAreWrittenInFull) {
    EXPECT_EQ(labelsOf(Unit::count, 1234560, 1234580, 4),
              list("1234560 1234565 1234570 1234575 1234580"));
}

TEST(Labels, ThereIsNoHalfAStep) {
    EXPECT_EQ(labelsOf(Unit::count, 0, 2, 8), list("0 1 2"));
}

TEST(Labels, BytesAreRoundInBinaryUnits) {
    const double mib = 1024.0 * 1024;
    const AxisTicks axis = axisTicks(Unit::bytes, 0, 100 * mib, false, 5, QLocale::c());
    EXPECT_EQ(axis.unit, QStringLiteral("MiB"));
    EXPECT_EQ(labels(axis), list("0 20 40 60 80 100"));
    EXPECT_DOUBLE_EQ(axis.ticks[1].value, 20 * mib);
    EXPECT_EQ(axisTicks(Unit::bytes, 0, 3000, false, 5, QLocale::c()).unit, QStringLiteral("KiB"));
    EXPECT_EQ(axisTicks(Unit::bytes, 0, 3e9, false, 5, QLocale::c()).unit, QStringLiteral("GiB"));
}

TEST(Labels, TimesAreHoursMinutesAndSeconds) {
    EXPECT_EQ(labelsOf(Unit::clock, 0, 60, 4), list("0:00:00 0:00:15 0:00:30 0:00:45 0:01:00"));
    EXPECT_EQ(labelsOf(Unit::clock, 0, 1, 2), list("0:00:00.0 0:00:00.5 0:00:01.0"));
    EXPECT_EQ(labelsOf(Unit::clock, 3600, 3 * 3600, 2), list("1:00:00 2:00:00 3:00:00"));
}

TEST(Labels, SharesArePercent) {
    const AxisTicks axis = axisTicks(Unit::share, 0, 1, false, 5, QLocale::c());
    EXPECT_EQ(axis.unit, QStringLiteral("%"));
    EXPECT_EQ(labels(axis), list("0 20 40 60 80 100"));
}

TEST(Labels, SmallNumbersAreWrittenWithAnExponent) {
    EXPECT_EQ(labelsOf(Unit::plain, 0, 2e-4, 4), list("0 5e-5 1e-4 1.5e-4 2e-4"));
}

TEST(Labels, FollowTheLocale) {
    const QLocale german(QLocale::German, QLocale::Germany);
    EXPECT_EQ(labelsOf(Unit::plain, 0, 1, 2, german), list("0,0 0,5 1,0"));
    EXPECT_EQ(labelsOf(Unit::count, 0, 2e6, 4, german)[3], QStringLiteral("1,5M"));
}

TEST(Labels, ALogAxisWritesEachValueWithItsOwnDigits) {
    EXPECT_EQ(labels(axisTicks(Unit::plain, 0.01, 10, true, 9, QLocale::c())),
              list("0.01 0.02 0.05 0.1 0.2 0.5 1 2 5 10"));
}

TEST(Labels, ValuesHaveFourDigitsAndTheirUnit) {
    const QLocale c = QLocale::c();
    EXPECT_EQ(valueText(Unit::plain, 0.532123, c), QStringLiteral("0.5321"));
    EXPECT_EQ(valueText(Unit::plain, 12.3456, c), QStringLiteral("12.35"));
    EXPECT_EQ(valueText(Unit::plain, 1.2345e-5, c), QStringLiteral("1.234e-5"));
    EXPECT_EQ(valueText(Unit::bytes, 45.25 * 1024 * 1024, c), QStringLiteral("45.25\u00a0MiB"));
    EXPECT_EQ(valueText(Unit::seconds, 0.00321, c), QStringLiteral("3.210\u00a0ms"));
    EXPECT_EQ(valueText(Unit::share, 0.9712, c), QStringLiteral("97.12\u00a0%"));
    EXPECT_EQ(valueText(Unit::clock, 3723, c), QStringLiteral("1:02:03"));
    EXPECT_EQ(valueText(Unit::plain, std::nan(""), c), QStringLiteral("NaN"));
}

TEST(View, FollowsGrowingDataInCoarseSteps) {
    ViewRange view;
    int moves = 0;
    double high = view.high();
    for (int i = 1; i <= 10'000; ++i) {
        view.setData({0, static_cast<double>(i)});
        ASSERT_GE(view.high(), i);
        ASSERT_LE(view.width(), i * 1.3 + 1);
        moves += view.high() != high ? 1 : 0;
        high = view.high();
    }
    EXPECT_LT(moves, 100);
    EXPECT_EQ(view.low(), 0);
}

TEST(View, WithoutFollowingNewDataDoesNotMoveIt) {
    ViewRange view;
    view.setData({0, 100});
    view.setFollow(false);
    const double high = view.high();
    view.setData({0, 5000});
    EXPECT_EQ(view.low(), 0);
    EXPECT_EQ(view.high(), high);
}

TEST(View, ZoomingKeepsThePointUnderTheCursor) {
    ViewRange view;
    view.setData({0, 1000});
    view.fit();
    view.zoomAround(2, 300);
    EXPECT_NEAR(view.width(), 500, 1e-9);
    EXPECT_NEAR((300 - view.low()) / view.width(), 0.3, 1e-9);
}

TEST(View, ZoomingAwayFromTheNewestDataEndsFollowing) {
    ViewRange view;
    view.setData({0, 1000});
    view.zoomAround(4, 100);
    EXPECT_FALSE(view.follow());
    view.fit();
    view.setFollow(true);
    view.zoomAround(2, 1000);
    EXPECT_TRUE(view.follow());
}

TEST(View, ZoomWhileFollowingKeepsTheNewestInView) {
    ViewRange view;
    view.setData({0, 1000});
    view.zoom(4);
    EXPECT_TRUE(view.follow());
    EXPECT_GE(view.high(), 1000);
    EXPECT_LT(view.low(), 1000);
    const double width = view.width();
    view.setData({0, 3000});
    EXPECT_NEAR(view.width(), width, 1e-9);
    EXPECT_GE(view.high(), 3000);
    EXPECT_LE(view.high(), 3000 + width / 8);
}

TEST(View, PanningEndsFollowingAndStopsWhereDataIsStillInView) {
    ViewRange view;
    view.setData({0, 1000});
    view.zoom(4);
    view.pan(-100);
    EXPECT_FALSE(view.follow());
    for (int i = 0; i < 100; ++i) {
        view.pan(-100);
    }
    EXPECT_GE(view.high(), 0);
    EXPECT_LE(view.low(), 0);
    for (int i = 0; i < 100; ++i) {
        view.pan(100);
    }
    EXPECT_LT(view.low(), 1000);
}

TEST(View, ZoomingOutEndsAtEverything) {
    ViewRange view;
    view.setData({0, 1000});
    view.zoom(10);
    for (int i = 0; i < 50; ++i) {
        view.zoom(0.5);
    }
    EXPECT_TRUE(view.fitted());
    EXPECT_EQ(view.low(), 0);
    EXPECT_LT(view.width(), 1300);
}

TEST(View, ZoomingInEndsBeforeNumbersRunOut) {
    ViewRange view;
    view.setData({0, 1e6});
    for (int i = 0; i < 500; ++i) {
        view.zoomAround(2, 5e5 + 0.3);
    }
    EXPECT_GT(view.width(), 0);
    EXPECT_LT(view.low(), view.high());
}

TEST(View, FitShowsEverythingAndKeepsFollowing) {
    ViewRange view;
    view.setData({0, 1000});
    view.zoom(4);
    view.fit();
    EXPECT_TRUE(view.follow());
    EXPECT_EQ(view.low(), 0);
    EXPECT_EQ(view.high(), 1000);
    view.setFollow(false);
    view.show({100, 200});
    view.fit();
    EXPECT_FALSE(view.follow());
}

TEST(View, EndShowsTheNewestAndFollowsHomeTheOldestAndDoesNot) {
    ViewRange view;
    view.setData({0, 1000});
    view.show({300, 400});
    EXPECT_FALSE(view.follow());
    view.toEnd();
    EXPECT_TRUE(view.follow());
    EXPECT_NEAR(view.width(), 100, 1e-9);
    EXPECT_GE(view.high(), 1000);
    view.toStart();
    EXPECT_FALSE(view.follow());
    EXPECT_LE(view.low(), 0);
    EXPECT_NEAR(view.width(), 100, 1e-9);
}

TEST(View, FollowingAgainJumpsToTheNewest) {
    ViewRange view;
    view.setData({0, 1000});
    view.show({300, 400});
    view.setData({0, 2000});
    view.setFollow(true);
    EXPECT_GE(view.high(), 2000);
    EXPECT_NEAR(view.width(), 100, 1e-9);
}

}  // namespace
}  // namespace trainscope::ui
