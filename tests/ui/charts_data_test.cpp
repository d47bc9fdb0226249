// SPDX-License-Identifier: GPL-3.0-or-later
// The plain layer below the charts: pyramid, decimation, smoothing and look-up in columns.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>

#include "ui/charts/decimation.h"
#include "ui/charts/pyramid.h"
#include "ui/charts/smoothing.h"
#include "ui/charts/x_lookup.h"

namespace trainscope::ui {
namespace {

using testing::ElementsAre;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

void fill(Column<double>& column, const std::vector<double>& values) {
    for (const double value : values) {
        column.append(value);
    }
}

struct Series {
    Column<double> x, y;
    Pyramid pyramid;

    void add(double at, double value) {
        x.append(at);
        y.append(value);
    }
    SeriesView view(bool log = false) {
        pyramid.follow(y, y.size());
        return {x, y, pyramid, y.size(), log};
    }
};

TEST(Pyramid, AnswersAsAFullScanDoesForEveryKindOfRange) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> value(-1, 1);
    Column<double> column;
    Pyramid pyramid;
    for (std::size_t i = 0; i < 5000; ++i) {
        column.append(i % 701 == 5 ? nan : value(random));
        if (i % 37 == 0) {  // in uneven portions, as frames bring them
            pyramid.follow(column, column.size());
        }
    }
    pyramid.follow(column, column.size());
    std::uniform_int_distribution<std::size_t> index(0, column.size());
    for (int trial = 0; trial < 2000; ++trial) {
        const auto [begin, end] = std::minmax({index(random), index(random)});
        ValueRange expected;
        for (std::size_t i = begin; i < end; ++i) {
            expected.include(column[i]);
        }
        const ValueRange found = pyramid.range(column, begin, end);
        ASSERT_EQ(found.min, expected.min) << begin << ".." << end;
        ASSERT_EQ(found.max, expected.max);
        ASSERT_EQ(found.min_positive, expected.min_positive);
        ASSERT_EQ(found.not_finite, expected.not_finite);
        ASSERT_EQ(found.not_positive, expected.not_positive);
    }
}

TEST(Pyramid, AnEmptyRangeIsEmpty) {
    Column<double> column;
    Pyramid pyramid;
    pyramid.follow(column, 0);
    EXPECT_TRUE(pyramid.range(column, 0, 0).empty());
}

TEST(Pyramid, CountsWhatNoAxisCanShowApartFromWhatNoLogAxisCanShow) {
    Column<double> column;
    fill(column, {1, nan, infinity, -infinity, 0, -2, 3});
    Pyramid pyramid;
    pyramid.follow(column, column.size());
    const ValueRange range = pyramid.range(column, 0, column.size());
    EXPECT_EQ(range.not_finite, 3u);
    EXPECT_EQ(range.not_positive, 2u);
    EXPECT_EQ(range.min, -2);
    EXPECT_EQ(range.min_positive, 1);
    EXPECT_EQ(range.max, 3);
}

TEST(Smoothing, TheFirstValueIsItselfAndAConstantStaysConstant) {
    DebiasedEma ema(0.98);
    EXPECT_DOUBLE_EQ(ema.push(2.5), 2.5);
    for (int i = 0; i < 100; ++i) {
        EXPECT_NEAR(ema.push(2.5), 2.5, 1e-12);
    }
}

TEST(Smoothing, IsTheWeightedMeanOfThePast) {
    DebiasedEma ema(0.5);
    ema.push(1);
    ema.push(2);
    // Weights 1/4, 1/2, 1 of a sum of 7/4.
    EXPECT_NEAR(ema.push(4), (1 * 0.25 + 2 * 0.5 + 4 * 1) / 1.75, 1e-12);
}

TEST(Smoothing, NaNIsAGapAndDoesNotSpoilWhatFollows) {
    DebiasedEma ema(0.5);
    ema.push(1);
    EXPECT_TRUE(std::isnan(ema.push(nan)));
    EXPECT_TRUE(std::isnan(ema.push(infinity)));
    EXPECT_NEAR(ema.push(1), 1, 1e-12);
}

TEST(Smoothing, WithoutWeightOfThePastIsTheValueItself) {
    DebiasedEma ema(0);
    EXPECT_EQ(ema.push(3), 3);
    EXPECT_EQ(ema.push(-1), -1);
}

TEST(Lookup, FindsFirstIndicesAmongEqualValues) {
    Column<double> x;
    fill(x, {0, 1, 1, 1, 2, 5});
    EXPECT_EQ(firstNotBelow(x, 0, 6, 1), 1u);
    EXPECT_EQ(firstAbove(x, 0, 6, 1), 4u);
    EXPECT_EQ(firstNotBelow(x, 0, 6, 9), 6u);
    EXPECT_EQ(firstNotBelow(x, 0, 6, -9), 0u);
    EXPECT_EQ(firstAbove(x, 2, 3, 1), 3u);
}

TEST(Lookup, AgreesWithAScanFromEveryStart) {
    Column<double> x;
    fill(x, {0, 1, 1, 3, 3, 3, 4, 8, 9, 9, 20, 21, 22, 40});
    for (std::size_t begin = 0; begin <= x.size(); ++begin) {
        for (double value = -1; value < 42; value += 0.5) {
            std::size_t expected = begin;
            while (expected < x.size() && x[expected] < value) {
                ++expected;
            }
            ASSERT_EQ(firstNotBelow(x, begin, x.size(), value), expected);
        }
    }
}

TEST(Lookup, NearestIsTheCloserNeighbour) {
    Column<double> x;
    fill(x, {0, 10, 20});
    EXPECT_EQ(nearestIndex(x, 3, -5), 0u);
    EXPECT_EQ(nearestIndex(x, 3, 14), 1u);
    EXPECT_EQ(nearestIndex(x, 3, 15), 1u);
    EXPECT_EQ(nearestIndex(x, 3, 16), 2u);
    EXPECT_EQ(nearestIndex(x, 3, 99), 2u);
}

TEST(Lookup, AnIndexBetweenPointsGoesThereAndBackOnAnotherAxis) {
    Column<double> samples;
    fill(samples, {32, 64, 128, 256});
    EXPECT_NEAR(fractionalIndex(samples, 4, 96), 1.5, 1e-12);
    EXPECT_NEAR(valueAt(samples, 4, 1.5), 96, 1e-12);
    for (const double value : {-50.0, 32.0, 200.0, 256.0, 400.0}) {
        EXPECT_NEAR(valueAt(samples, 4, fractionalIndex(samples, 4, value)), value, 1e-9);
    }
}

TEST(Decimation, FewPointsAreDrawnWhereTheyAre) {
    Series series;
    series.add(0, 1);
    series.add(5, 3);
    series.add(10, 2);
    const Curve curve = decimate(series.view(), {0, 10, 100});
    ASSERT_EQ(curve.strokes.size(), 2u);
    EXPECT_EQ(curve.strokes[0].x0, 0);
    EXPECT_EQ(curve.strokes[0].x1, 50);
    EXPECT_EQ(curve.strokes[0].y1, 3);
    EXPECT_EQ(curve.strokes[1].x1, 100);
    EXPECT_EQ(curve.strokes[1].y1, 2);
}

TEST(Decimation, AMillionPointsBecomeAtMostTwoStrokesAColumn) {
    Series series;
    std::mt19937 random(1);
    std::normal_distribution<double> noise(0, 1);
    for (int i = 0; i < 1'000'000; ++i) {
        series.add(i, noise(random));
    }
    const Curve curve = decimate(series.view(), {0, 1e6, 1000});
    EXPECT_LE(curve.strokes.size(), 2002u);
    EXPECT_GE(curve.strokes.size(), 1900u);
}

TEST(Decimation, EachColumnReachesFromItsSmallestToItsLargestValue) {
    Series series;
    for (int i = 0; i < 10'000; ++i) {
        series.add(i, i == 4321 ? 50 : i == 4375 ? -40 : 0.001 * (i % 2));
    }
    const Curve curve = decimate(series.view(), {0, 10'000, 100});
    bool found = false;
    for (const Stroke& stroke : curve.strokes) {
        if (stroke.x0 == stroke.x1 && stroke.x0 == 43.5) {
            EXPECT_EQ(stroke.y0, -40);
            EXPECT_EQ(stroke.y1, 50);
            found = true;
        } else {
            EXPECT_LT(std::abs(stroke.y0), 1);
        }
    }
    EXPECT_TRUE(found);
}

TEST(Decimation, NaNBreaksTheLineAndIsMarkedAndCounted) {
    Series series;
    for (int i = 0; i < 10; ++i) {
        series.add(i, i == 5 ? nan : 1);
    }
    const Curve curve = decimate(series.view(), {0, 9, 90});
    EXPECT_THAT(curve.gaps, ElementsAre(50));
    EXPECT_EQ(curve.not_shown, 1u);
    for (const Stroke& stroke : curve.strokes) {
        EXPECT_TRUE(stroke.x1 <= 40 || stroke.x0 >= 60) << stroke.x0;
    }
}

TEST(Decimation, ALongRunOfNaNLeavesItsColumnsEmpty) {
    Series series;
    for (int i = 0; i < 100'000; ++i) {
        series.add(i, i >= 40'000 && i < 60'000 ? nan : 1 + i % 3);
    }
    const Curve curve = decimate(series.view(), {0, 100'000, 100});
    EXPECT_EQ(curve.not_shown, 20'000u);
    EXPECT_EQ(curve.gaps.size(), 20u);
    for (const Stroke& stroke : curve.strokes) {
        EXPECT_TRUE(stroke.x1 < 40 || stroke.x0 >= 60) << stroke.x0 << ' ' << stroke.x1;
    }
}

TEST(Decimation, OnALogScaleValuesOfZeroAndBelowAreGapsToo) {
    Series series;
    for (int i = 0; i < 6; ++i) {
        series.add(i, i == 2 ? 0 : i == 4 ? -1 : 1);
    }
    EXPECT_EQ(decimate(series.view(false), {0, 5, 50}).not_shown, 0u);
    const Curve curve = decimate(series.view(true), {0, 5, 50});
    EXPECT_EQ(curve.not_shown, 2u);
    EXPECT_THAT(curve.gaps, ElementsAre(20, 40));
}

TEST(Decimation, ASinglePointBetweenGapsIsOnePixelWide) {
    Series series;
    series.add(0, nan);
    series.add(1, 7);
    series.add(2, nan);
    const Curve curve = decimate(series.view(), {0, 2, 20});
    ASSERT_EQ(curve.strokes.size(), 1u);
    EXPECT_EQ(curve.strokes[0].x1 - curve.strokes[0].x0, 1);
    EXPECT_EQ(curve.strokes[0].y0, 7);
}

TEST(Decimation, CurvesRunOnToTheEdgeOfAZoomedView) {
    Series series;
    for (int i = 0; i < 100; ++i) {
        series.add(i, i);
    }
    const Curve curve = decimate(series.view(), {50.5, 51.5, 100});
    ASSERT_FALSE(curve.strokes.empty());
    EXPECT_LT(curve.strokes.front().x0, 0);
    EXPECT_GT(curve.strokes.back().x1, 100);
}

TEST(Decimation, TheUpperEdgeIsTheLargestValueOfEachColumn) {
    Series series;
    for (int i = 0; i < 1000; ++i) {
        series.add(i, i % 100 == 50 ? 9 : 1);
    }
    const auto edge = upperEdge(series.view(), {0, 1000, 10});
    ASSERT_EQ(edge.size(), 10u);
    for (const CurvePoint& point : edge) {
        EXPECT_EQ(point.y, 9);
    }
}

TEST(Decimation, NothingInViewIsNothingDrawn) {
    Series series;
    EXPECT_TRUE(decimate(series.view(), {0, 1, 10}).strokes.empty());
    EXPECT_TRUE(upperEdge(series.view(), {0, 1, 10}).empty());
}

TEST(Decimation, UnevenStepsInSamplesFallIntoTheColumnsTheyBelongTo) {
    Series series;
    double samples = 0;
    for (int i = 0; i < 4000; ++i) {
        samples += i < 2000 ? 1 : 10;
        series.add(samples, i < 2000 ? 0 : 1);
    }
    const Curve curve = decimate(series.view(), {0, 22'000, 220});
    for (const Stroke& stroke : curve.strokes) {
        if (stroke.x0 < 20) {
            EXPECT_EQ(stroke.y0, 0) << stroke.x0;
        } else if (stroke.x0 > 21) {
            EXPECT_EQ(stroke.y0, 1) << stroke.x0;
        }
    }
}

}  // namespace
}  // namespace trainscope::ui
