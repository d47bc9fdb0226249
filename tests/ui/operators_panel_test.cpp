// SPDX-License-Identifier: GPL-3.0-or-later
// The times of the layers in the window: now, and before the last knob.
#include "ui/panels/operators_panel.h"

#include <gmock/gmock.h>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QLocale>
#include <QTableView>
#include <QTest>
#include <cmath>
#include <limits>

#include "tests/ui/window_driver.h"
#include "ui/number_text.h"
#include "ui/panels/operator_model.h"

namespace trainscope::ui {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// conv1, relu1, pool1, a view, fc1.
class Operators : public ::testing::Test {
  protected:
    std::shared_ptr<Telemetry> telemetry =
        std::make_shared<Telemetry>(std::vector<TimedOperator>{{"conv1", "conv2d"},
                                                               {"relu1", "relu"},
                                                               {"pool1", "max_pool2d"},
                                                               {"flatten1", ""},
                                                               {"fc1", "dense"}});
    // Milliseconds forward; backward takes twice as long.
    void time(double step, double conv, double relu, double pool, double dense) {
        std::vector<double> seconds;
        for (const double ms : {conv, relu, pool, none, dense}) {
            seconds.push_back(ms * 1e-3);
            seconds.push_back(ms * 2e-3);
        }
        telemetry->operator_times().append(step, seconds);
    }
    void turn(double step, const char* to, bool refused = false) {
        Annotation knob;
        knob.step = step;
        knob.what = "conv2d variant";
        knob.from = "auto";
        knob.to = to;
        knob.refused = refused;
        telemetry->append(knob);
    }
};

TEST_F(Operators, EachLayerHasItsMedianOfThePasses) {
    time(2, 4, 1, 1, 2);
    time(9, 5, 1, 1, 2);
    time(12, 90, 1, 1, 2);
    const OperatorsSummary summary = summarizeOperators(*telemetry);
    ASSERT_EQ(summary.layers.size(), 4u) << "a view takes no time";
    EXPECT_EQ(summary.layers[0].layer, "conv1");
    EXPECT_DOUBLE_EQ(summary.layers[0].forward.value(), 5e-3);
    EXPECT_DOUBLE_EQ(summary.layers[0].backward.value(), 10e-3);
    EXPECT_FALSE(summary.layers[0].before);
    EXPECT_DOUBLE_EQ(summary.seconds, 3 * 9e-3);
    EXPECT_EQ(summary.knob, "");
}

TEST_F(Operators, AfterAKnobTheTimesBeforeItStandBeside) {
    time(2, 4, 1, 1, 2);
    turn(10, "direct");
    EXPECT_EQ(summarizeOperators(*telemetry).rows_now, 0u);
    EXPECT_FALSE(summarizeOperators(*telemetry).layers[0].forward);
    time(12, 1, 1, 1, 2);
    turn(14, "fft", true);  // refused: nothing changed
    time(16, 1, 1, 1, 2);
    const OperatorsSummary summary = summarizeOperators(*telemetry);
    EXPECT_EQ(summary.rows_now, 2u);
    EXPECT_DOUBLE_EQ(summary.layers[0].forward.value(), 1e-3);
    EXPECT_DOUBLE_EQ(summary.layers[0].before.value(), 12e-3);
    EXPECT_EQ(summary.knob, "conv2d variant auto -> direct");
}

TEST_F(Operators, KnobsWithNothingTimedBetweenThemCountAsOne) {
    time(2, 4, 1, 1, 2);
    turn(10, "direct");
    turn(10, "onednn");
    time(12, 1, 1, 1, 2);
    EXPECT_DOUBLE_EQ(summarizeOperators(*telemetry).layers[0].before.value(), 12e-3);
}

TEST_F(Operators, WhatIsFusedIsOneRowWithTheTimeOfItsPartsBefore) {
    time(2, 4, 1, 1, 2);
    turn(10, "direct");
    time(12, 3, none, none, 2);
    const OperatorsSummary summary = summarizeOperators(*telemetry);
    ASSERT_EQ(summary.layers.size(), 2u);
    EXPECT_EQ(summary.layers[0].layer, "conv1 + relu1 + pool1");
    EXPECT_EQ(summary.layers[0].op, "conv_relu_pool");
    EXPECT_DOUBLE_EQ(summary.layers[0].before.value(), 18e-3);
    EXPECT_DOUBLE_EQ(summary.layers[0].total().value(), 9e-3);
}

TEST_F(Operators, ABatchNormAndItsReluAreOneRowByTheNameOfBoth) {
    telemetry = std::make_shared<Telemetry>(std::vector<TimedOperator>{
        {"conv1", "conv2d"}, {"bn1", "batch_norm"}, {"relu1", "relu"}, {"pool1", "max_pool2d"}});
    std::vector<double> seconds;
    for (const double ms : {4.0, 2.0, none, 1.0}) {
        seconds.insert(seconds.end(), {ms * 1e-3, ms * 2e-3});
    }
    telemetry->operator_times().append(2, seconds);
    const OperatorsSummary summary = summarizeOperators(*telemetry);
    ASSERT_EQ(summary.layers.size(), 3u);
    EXPECT_EQ(summary.layers[1].layer, "bn1 + relu1");
    EXPECT_EQ(summary.layers[1].op, "batch_norm_relu");
    EXPECT_DOUBLE_EQ(summary.layers[1].total().value(), 6e-3);
    EXPECT_EQ(summary.layers[2].op, "max_pool2d");
}

TEST_F(Operators, TheTableSaysVariantShareAndChange) {
    OperatorModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    time(2, 4, 1, 1, 2);
    turn(10, "direct");
    time(12, 2, 1, 1, 4);
    model.show(summarizeOperators(*telemetry), {{"conv2d", "direct"}, {"dense", "blocked"}});
    const auto text = [&](int row, OperatorModel::Column column) {
        return model.index(row, column).data().toString().toStdString();
    };
    EXPECT_EQ(text(0, OperatorModel::variant), "direct");
    EXPECT_EQ(text(0, OperatorModel::forward), "2.00 ms");
    EXPECT_EQ(text(0, OperatorModel::share), "25.00\u00a0%");
    EXPECT_EQ(text(0, OperatorModel::before), "12.0 ms");
    EXPECT_THAT(text(0, OperatorModel::change), HasSubstr("50\u00a0%"));
    EXPECT_EQ(text(3, OperatorModel::change), "+100\u00a0%");
    EXPECT_EQ(text(1, OperatorModel::variant), "");
    // Fewer rows, then as many again.
    turn(14, "auto");
    time(16, 3, none, none, 2);
    model.show(summarizeOperators(*telemetry), {});
    EXPECT_EQ(model.rowCount(), 2);
}

TEST_F(Operators, AnEmulatedDevicesTimesAreSaidToBeNoGpus) {
    OperatorsPanel panel;
    auto* sentence = panel.findChild<QLabel*>(QStringLiteral("operatorsSentence"));
    EXPECT_THAT(sentence->text().toStdString(), StartsWith("What each layer takes"));
    panel.setTelemetry(telemetry, true);
    time(2, 4, 1, 1, 2);
    panel.refresh({});
    EXPECT_THAT(sentence->text().toStdString(), HasSubstr("24.0 ms for a micro-batch"));
    EXPECT_THAT(sentence->text().toStdString(), HasSubstr("Emulation"));
}

TEST(OperatorsInTheWindow, AVariantThatIsSwappedShowsWhatItChanged) {
    RunSettings run = smallRun();
    run.variants.set("conv_relu_pool", "separate");
    WindowDriver driver(run);
    ASSERT_TRUE(driver.started());
    const QAbstractItemModel* table = driver.part<QTableView>("operators")->model();
    const auto text = [&](int row, OperatorModel::Column column) {
        return table->index(row, column).data().toString().toStdString();
    };
    ASSERT_TRUE(becomes([&] { return table->rowCount() > 0; }));
    EXPECT_EQ(text(0, OperatorModel::layer), "conv1");
    EXPECT_THAT(text(0, OperatorModel::before), IsEmpty());
    auto* box = driver.part<QComboBox>("conv2d variantEdit");
    box->setCurrentIndex(box->findData(QStringLiteral("direct")));
    Q_EMIT box->activated(box->currentIndex());
    ASSERT_FALSE(driver.annotation("conv2d variant").isEmpty());
    EXPECT_TRUE(becomes([&] {
        return text(0, OperatorModel::variant) == "direct" &&
               !text(0, OperatorModel::change).empty();
    }));
    EXPECT_FALSE(text(0, OperatorModel::before).empty());
}

TEST(NumberText, ThreeDigitsCount) {
    const QLocale c = QLocale::c();
    EXPECT_EQ(threeDigits(1.234, c).toStdString(), "1.23");
    EXPECT_EQ(threeDigits(9.996, c).toStdString(), "10.0");
    EXPECT_EQ(threeDigits(99.96, c).toStdString(), "100");
    EXPECT_EQ(threeDigits(0.5, c).toStdString(), "0.50");
    EXPECT_EQ(timeText(0.0123, c).toStdString(), "12.3 ms");
}

}  // namespace
}  // namespace trainscope::ui
