// SPDX-License-Identifier: GPL-3.0-or-later
// The charts as a person sees them: what is drawn where.
#include <gmock/gmock.h>

#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/ui/charts_fixture.h"
#include "tests/ui/charts_run.h"

namespace trainscope::ui {
namespace {

// Share of a pixel column of the plot that has the colour.
int pixelsOf(const QImage& image, const QColor& color, int x, const QRectF& plot) {
    int count = 0;
    for (int y = static_cast<int>(plot.top()); y < static_cast<int>(plot.bottom()); ++y) {
        const QColor found = image.pixelColor(x, y);
        const int difference = std::abs(found.red() - color.red()) +
                               std::abs(found.green() - color.green()) +
                               std::abs(found.blue() - color.blue());
        count += difference < 40 ? 1 : 0;
    }
    return count;
}

TEST_F(Charts, WithoutATelemetryEachChartHasAHint) {
    for (const ChartId id : {ChartId::loss, ChartId::throughput, ChartId::memory}) {
        EXPECT_FALSE(picture(id).hint.isEmpty());
        EXPECT_EQ(picture(id).lineCount(), 0u);
    }
    panel.setTelemetry(plainRun(10));
    EXPECT_TRUE(picture(ChartId::loss).hint.isEmpty());
    panel.setTelemetry(nullptr);
    EXPECT_FALSE(picture(ChartId::loss).hint.isEmpty());
}

TEST_F(Charts, TheSmoothedLineIsInEveryColumnOfTheThroughputChart) {
    panel.setTelemetry(realisticRun(3000));
    const QImage image = grab(ChartId::throughput);
    const QRectF plot = picture(ChartId::throughput).plot;
    int missing = 0;
    for (int x = static_cast<int>(plot.left()) + 4; x < static_cast<int>(plot.right()) - 4; ++x) {
        missing += pixelsOf(image, lightColors().series[0].line, x, plot) == 0 ? 1 : 0;
    }
    EXPECT_LE(missing, 3);  // annotations lie over it
}

TEST_F(Charts, TheCurveIsAsHighAsItsValue) {
    panel.setTelemetry(plainRun(3000));
    panel.setSmoothing(0);
    const ChartPicture& p = picture(ChartId::loss);
    const double samples = 1500 * 32;
    const double expected = p.yPixel(2.3 * std::exp(-samples / 6e4));
    const int x = static_cast<int>(p.xPixel(samples));
    const QImage image = grab(ChartId::loss);
    const QColor line = lightColors().series[0].line;
    const QRectF near(p.plot.left(), expected - 3, p.plot.width(), 6);
    EXPECT_GT(pixelsOf(image, line, x, near), 0);
    const QRectF above(p.plot.left(), p.plot.top(), p.plot.width(), expected - p.plot.top() - 5);
    EXPECT_EQ(pixelsOf(image, line, x, above), 0);
}

TEST_F(Charts, AGapInTheLossIsEmptyMarkedAndCounted) {
    auto telemetry = plainRun(1000);
    for (std::size_t i = 1000; i < 2000; ++i) {
        const auto step = static_cast<double>(i + 1);
        StepSample sample = stepSample(i, step * 32, 32, step * 0.002);
        if (i >= 1400 && i < 1600) {
            sample[static_cast<std::size_t>(Metric::loss)] = std::nan("");
        }
        telemetry->append(sample);
    }
    panel.setTelemetry(telemetry);
    const ChartPicture& p = picture(ChartId::loss);
    EXPECT_FALSE(p.gaps.empty());
    ASSERT_FALSE(p.notes.isEmpty());
    EXPECT_TRUE(p.notes.front().contains(QStringLiteral("200")));
    const QImage image = grab(ChartId::loss);
    const int in_gap = static_cast<int>(p.xPixel(1500 * 32.0));
    const int beside = static_cast<int>(p.xPixel(1300 * 32.0));
    EXPECT_EQ(pixelsOf(image, lightColors().series[0].line, in_gap, p.plot), 0);
    EXPECT_GT(pixelsOf(image, lightColors().series[0].line, beside, p.plot), 0);
}

TEST_F(Charts, AMillionStepsAreDrawnWithAFewLinesAPixel) {
    panel.setTelemetry(realisticRun(1'000'000));
    for (const ChartId id : {ChartId::loss, ChartId::throughput}) {
        const auto columns = static_cast<std::size_t>(picture(id).plot.width());
        EXPECT_LE(picture(id).lineCount(), columns * 2 * 3);
        EXPECT_GE(picture(id).lineCount(), columns);
    }
    const auto columns = static_cast<std::size_t>(picture(ChartId::memory).plot.width());
    EXPECT_LE(picture(ChartId::memory).lineCount(), columns * 9);
}

TEST_F(Charts, ALevelCurveIsOneLine) {
    panel.setTelemetry(plainRun(3000));
    EXPECT_LE(picture(ChartId::memory).lineCount(), 7u * 2);
}

TEST_F(Charts, TheBudgetIsALineWhereItBelongs) {
    panel.setTelemetry(plainRun(500));
    panel.setMemoryBudget(12 << 20);
    const ChartPicture& p = picture(ChartId::memory);
    ASSERT_TRUE(p.budget.has_value());
    EXPECT_NEAR(*p.budget, p.yPixel(12.0 * 1024 * 1024), 0.5);
    EXPECT_TRUE(p.budget_label.contains(QStringLiteral("12")));
    const QImage image = grab(ChartId::memory);
    int red = 0;
    for (int x = static_cast<int>(p.plot.left()); x < static_cast<int>(p.plot.right()); ++x) {
        red +=
            pixelsOf(image, lightColors().budget, x, QRectF(0, *p.budget - 2, 10, 4)) > 0 ? 1 : 0;
    }
    EXPECT_GT(red, p.plot.width() / 2);  // dashes
    panel.setMemoryBudget(std::nullopt);
    EXPECT_TRUE(picture(ChartId::memory).budget_label.isEmpty());
}

TEST_F(Charts, ABudgetFarAboveIsNamedWithoutFlatteningTheMemory) {
    panel.setTelemetry(plainRun(500));
    panel.setMemoryBudget(std::int64_t{80} << 30);
    const ChartPicture& p = picture(ChartId::memory);
    EXPECT_FALSE(p.budget.has_value());
    EXPECT_TRUE(p.budget_label.contains(QStringLiteral("80")));
    EXPECT_LT(p.y.high, 100.0 * 1024 * 1024);
}

TEST_F(Charts, AnnotationsStandOnEveryChartAtTheSamePlace) {
    panel.setTelemetry(realisticRun(3000));
    const auto& first = picture(ChartId::loss).annotations;
    ASSERT_EQ(first.size(), 3u);
    EXPECT_EQ(first[0].label, QStringLiteral("micro_batch 32 → 64"));
    EXPECT_FALSE(first[0].bad);
    EXPECT_TRUE(first[2].bad);
    EXPECT_TRUE(first[2].text.contains(QStringLiteral("do not fit the budget")));
    for (const ChartId id : {ChartId::throughput, ChartId::memory}) {
        const auto& other = picture(id).annotations;
        ASSERT_EQ(other.size(), 3u);
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_EQ(other[i].x, first[i].x);
        }
    }
}

TEST_F(Charts, ManyAnnotationsHaveLabelsThatDoNotOverlap) {
    auto telemetry = plainRun(1000);
    for (int i = 0; i < 60; ++i) {
        Annotation annotation;
        annotation.step = i * i / 4.0;
        annotation.samples = annotation.step * 32;
        annotation.what = "micro_batch";
        annotation.from = std::to_string(i);
        annotation.to = std::to_string(i + 1);
        telemetry->append(annotation);
    }
    panel.setTelemetry(telemetry);
    const ChartPicture& p = picture(ChartId::loss);
    EXPECT_EQ(p.annotations.size(), 60u);
    double end = 0;
    int labels = 0;
    for (const PlacedAnnotation& annotation : p.annotations) {
        if (annotation.label_box.isEmpty()) {
            continue;
        }
        ++labels;
        EXPECT_GE(annotation.label_box.left(), end);
        EXPECT_LE(annotation.label_box.right(), p.plot.right() + 1);
        end = annotation.label_box.right();
    }
    EXPECT_GE(labels, 3);
    EXPECT_LT(labels, 60);
}

TEST_F(Charts, AnErrorIsMarkedAndItsSentenceStandsInTheToolTipOnly) {
    auto telemetry = plainRun(100);
    Annotation error;
    error.samples = 1600;
    error.kind = AnnotationKind::error;
    error.what = "error";
    error.reason = "The device ran out of memory.";
    telemetry->append(error);
    panel.setTelemetry(telemetry);
    const auto& placed = picture(ChartId::loss).annotations;
    ASSERT_EQ(placed.size(), 1u);
    EXPECT_EQ(placed[0].label, QStringLiteral("✕ error"));
    EXPECT_TRUE(placed[0].bad);
    EXPECT_EQ(placed[0].text, QStringLiteral("error: The device ran out of memory."));
}

TEST_F(Charts, AnAnnotationThatComesLaterIsDrawnAtTheNextRefresh) {
    auto telemetry = plainRun(100);
    panel.setTelemetry(telemetry);
    Annotation annotation;
    annotation.samples = 1600;
    annotation.what = "optimizer";
    telemetry->append(annotation);
    panel.refresh();
    EXPECT_EQ(picture(ChartId::memory).annotations.size(), 1u);
}

TEST_F(Charts, TheLogScaleIsForTheLossOnly) {
    panel.setTelemetry(plainRun(3000));
    panel.setLogLoss(true);
    EXPECT_TRUE(panel.logLoss());
    const ChartPicture& p = picture(ChartId::loss);
    EXPECT_TRUE(p.log);
    EXPECT_GT(p.y.low, 0);
    const double middle = p.yPixel(std::sqrt(p.y.low * p.y.high));
    EXPECT_NEAR(middle, p.plot.center().y(), 1);
    EXPECT_FALSE(picture(ChartId::throughput).log);
}

TEST_F(Charts, ChartsAboveEachOtherHaveTheSameLeftAndRightEdge) {
    panel.setTelemetry(realisticRun(2000));
    const QRectF loss = picture(ChartId::loss).plot;
    for (const ChartId id : {ChartId::throughput, ChartId::memory}) {
        EXPECT_EQ(picture(id).plot.left(), loss.left());
        EXPECT_EQ(picture(id).plot.right(), loss.right());
    }
}

TEST_F(Charts, AxesAreNamedWithTheirUnits) {
    panel.setTelemetry(plainRun(500));
    for (const ChartInfo& info : chartTable()) {
        panel.setChartVisible(info.id, true);
    }
    QApplication::processEvents();
    EXPECT_EQ(picture(ChartId::loss).y_title, QStringLiteral("loss"));
    EXPECT_EQ(picture(ChartId::throughput).y_title, QStringLiteral("samples/s"));
    EXPECT_EQ(picture(ChartId::memory).y_title, QStringLiteral("MiB"));
    EXPECT_EQ(picture(ChartId::accuracy).y_title, QStringLiteral("correct (%)"));
    EXPECT_EQ(picture(ChartId::step_time).y_title, QStringLiteral("ms"));
    EXPECT_EQ(picture(ChartId::loss).x_title, QStringLiteral("samples"));
    EXPECT_FALSE(picture(ChartId::accuracy).hint.isEmpty());
}

TEST_F(Charts, AChartThatIsShownLaterHasAllData) {
    panel.setTelemetry(realisticRun(1000));
    EXPECT_FALSE(panel.chartVisible(ChartId::gradient_norm));
    panel.setChartVisible(ChartId::gradient_norm, true);
    EXPECT_TRUE(panel.chartVisible(ChartId::gradient_norm));
    EXPECT_GT(picture(ChartId::gradient_norm).lineCount(), 100u);
}

TEST_F(Charts, ADarkPaletteMakesDarkCharts) {
    panel.setTelemetry(plainRun(500));
    panel.setPalette(applicationPalette(darkColors()));
    QApplication::processEvents();
    EXPECT_TRUE(panel.settings().dark);
    const QImage image = grab(ChartId::loss);
    EXPECT_LT(image.pixelColor(2, image.height() - 2).lightness(), 60);
    const QRectF plot = picture(ChartId::loss).plot;
    EXPECT_GT(
        pixelsOf(image, darkColors().series[0].line, static_cast<int>(plot.center().x()), plot), 0);
}

TEST_F(Charts, SmoothingZeroIsTheRawCurve) {
    panel.setTelemetry(realisticRun(1000));
    panel.setSmoothing(0);
    const auto rows = view(ChartId::loss).chart().readout(500);
    EXPECT_EQ(rows[0].value, rows[1].value);
    panel.setSmoothing(0.99);
    const auto smoothed = view(ChartId::loss).chart().readout(500);
    EXPECT_NE(smoothed[0].value, smoothed[1].value);
}

TEST_F(Charts, WhatComesTooFastIsDrawnALittleLater) {
    auto telemetry = plainRun(1000);
    panel.setTelemetry(telemetry);
    for (std::size_t i = 1000; i < 3000; ++i) {
        const auto step = static_cast<double>(i + 1);
        telemetry->append(stepSample(i, step * 32, 32, step * 0.002));
        panel.refresh();
    }
    EXPECT_TRUE(QTest::qWaitFor([this] { return picture(ChartId::memory).x.high >= 96'000; }));
    EXPECT_GE(view(ChartId::loss).chart().readout(2999).size(), 2u);
}

TEST_F(Charts, ARefreshWithoutNewDataDrawsNothing) {
    auto telemetry = plainRun(1000);
    panel.setTelemetry(telemetry);
    QApplication::processEvents();
    struct Counter : QObject {
        int paints = 0;
        bool eventFilter(QObject*, QEvent* event) override {
            paints += event->type() == QEvent::Paint ? 1 : 0;
            return false;
        }
    } counter;
    view(ChartId::loss).viewport()->installEventFilter(&counter);
    for (int i = 0; i < 10; ++i) {
        panel.refresh();
        QApplication::processEvents();
    }
    EXPECT_EQ(counter.paints, 0);
    telemetry->append(stepSample(1000, 1001 * 32, 32, 2.002));
    panel.refresh();
    QApplication::processEvents();
    EXPECT_GE(counter.paints, 1);
}

}  // namespace
}  // namespace trainscope::ui
