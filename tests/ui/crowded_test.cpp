// SPDX-License-Identifier: GPL-3.0-or-later
// Where there is little room: many annotations, narrow charts, docks beside their window.
#include <gmock/gmock.h>

#include <QDockWidget>
#include <QFontMetricsF>
#include <QGraphicsScene>
#include <QMainWindow>
#include <QtCharts/QLegend>

#include "tests/ui/charts_run.h"
#include "ui/charts/annotation_layout.h"
#include "ui/charts/live_chart.h"
#include "ui/window/window_layout.h"

namespace trainscope::ui {
namespace {

constexpr double plotWidth = 1000;

Annotation turned(double samples, bool refused = false) {
    Annotation annotation;
    annotation.samples = samples;
    annotation.what = "micro_batch";
    annotation.from = "32";
    annotation.to = "64";
    annotation.refused = refused;
    return annotation;
}

// One sample a pixel.
std::vector<PlacedAnnotation> place(const std::vector<Annotation>& annotations) {
    return placeAnnotations(annotations, XAxis::samples, 0, plotWidth,
                            QRectF(0, 30, plotWidth, 200), 20, QFontMetricsF(QFont()));
}

std::size_t lines(const std::vector<PlacedAnnotation>& placed, bool refused) {
    return static_cast<std::size_t>(
        std::count_if(placed.begin(), placed.end(), [=](const PlacedAnnotation& annotation) {
            return annotation.line && annotation.bad == refused;
        }));
}

TEST(CrowdedAnnotations, LinesThatWouldMakeABarAreDrawnOnce) {
    std::vector<Annotation> annotations;
    for (int i = 0; i < 3000; ++i) {
        annotations.push_back(turned(100 + i * 0.1, i % 2 == 1));
    }
    const std::vector<PlacedAnnotation> placed = place(annotations);
    EXPECT_EQ(placed.size(), annotations.size()) << "all are there to be pointed at";
    EXPECT_THAT(lines(placed, false), ::testing::AllOf(::testing::Ge(90U), ::testing::Le(105U)));
    EXPECT_THAT(lines(placed, true), ::testing::AllOf(::testing::Ge(90U), ::testing::Le(105U)));
}

TEST(CrowdedAnnotations, LinesApartAndARefusalBesideAnotherAreAllDrawn) {
    const std::vector<PlacedAnnotation> placed =
        place({turned(10), turned(13), turned(13.5, true), turned(400)});
    EXPECT_EQ(lines(placed, false), 3U);
    EXPECT_EQ(lines(placed, true), 1U);
}

void expectLegendClearOfTitle(LiveChart& chart, const QString& title) {
    if (!chart.legend()->isVisible()) {
        return;
    }
    const QSizeF text = QFontMetricsF(chartTitleFont(chart.font())).boundingRect(title).size();
    const QRectF entries = chart.legend()->geometry().adjusted(9, 9, -9, -9);
    EXPECT_FALSE(entries.intersects(QRectF(QPointF(6, 3), text)))
        << title.toStdString() << " at " << chart.size().width();
    EXPECT_LE(entries.bottom(), chart.picture().plot.top() + 2)
        << title.toStdString() << " at " << chart.size().width();
}

TEST(EmulatedRun, ChartsOfTimesSayThatTheyAreOfAnEmulation) {
    EXPECT_EQ(chartTitle(ChartId::throughput, true), QStringLiteral("Throughput (emulation)"));
    EXPECT_EQ(chartTitle(ChartId::step_time, true),
              QStringLiteral("Step time by phase (emulation)"));
    EXPECT_EQ(chartTitle(ChartId::throughput), QStringLiteral("Throughput"));
    EXPECT_EQ(chartTitle(ChartId::loss, true), QStringLiteral("Loss"));
}

TEST(NarrowCharts, TheLegendStaysClearOfTheTitle) {
    const std::shared_ptr<Telemetry> run = realisticRun(100);
    for (const ChartInfo& info : chartTable()) {
        QGraphicsScene scene;
        auto* chart = new LiveChart(info.id);
        scene.addItem(chart);
        ChartData data(info.id, run, 0.9);
        data.update();
        ChartState state;
        state.x = {0, 3200};
        for (double width = 200; width <= 1200; width += 50) {
            chart->resize(width, 300);
            for (const bool emulated : {false, true}) {
                state.emulated = emulated;
                chart->show(&data, state);
                expectLegendClearOfTitle(*chart, chartTitle(info.id, emulated));
            }
        }
    }
}

class RaiseCount : public QObject {
  public:
    int raised = 0;

  protected:
    bool eventFilter(QObject*, QEvent* event) override {
        raised += event->type() == QEvent::ZOrderChange ? 1 : 0;
        return false;
    }
};

TEST(FloatingDocks, ComeUpOverTheirWindow) {
    QMainWindow window;
    QDockWidget floating(&window);
    QDockWidget docked(&window);
    window.addDockWidget(Qt::LeftDockWidgetArea, &floating);
    window.addDockWidget(Qt::RightDockWidgetArea, &docked);
    floating.setFloating(true);
    window.show();
    floating.show();
    RaiseCount seen;
    RaiseCount notSeen;
    floating.installEventFilter(&seen);
    docked.installEventFilter(&notSeen);
    raiseFloatingDocks(window);
    EXPECT_EQ(seen.raised, 1);
    EXPECT_EQ(notSeen.raised, 0);
}

}  // namespace
}  // namespace trainscope::ui
