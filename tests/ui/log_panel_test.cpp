// SPDX-License-Identifier: GPL-3.0-or-later
// The log: rows in the order things happened, read while they happen.
#include "ui/panels/log_panel.h"

#include <gmock/gmock.h>

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QScrollBar>
#include <QTableView>

#include "ui/panels/log_model.h"

namespace trainscope::ui {
namespace {

Annotation turned(double step, const char* what, const char* from, const char* to) {
    Annotation annotation;
    annotation.step = step;
    annotation.samples = step * 32;
    annotation.active_seconds = step / 10;
    annotation.what = what;
    annotation.from = from;
    annotation.to = to;
    return annotation;
}

Annotation happened(double step, AnnotationKind kind, const char* what, const char* sentence) {
    Annotation annotation = turned(step, what, "", "");
    annotation.kind = kind;
    annotation.reason = sentence;
    return annotation;
}

EvaluationSample evaluated(double step) {
    return {.step = step,
            .samples = step * 32,
            .active_seconds = step / 10,
            .loss = 0.25,
            .accuracy = 0.9123};
}

class Log : public ::testing::Test {
  protected:
    std::string rowText(const LogModel& model, int row) { return model.textOf(row).toStdString(); }
    std::shared_ptr<Telemetry> telemetry = std::make_shared<Telemetry>();
};

TEST_F(Log, RowsStandInTheOrderThingsHappenedAlsoWhenReadLate) {
    LogModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setTelemetry(telemetry);
    telemetry->append(turned(30, "micro_batch", "32", "64"));
    telemetry->append(evaluated(20));
    EXPECT_TRUE(model.refresh());
    telemetry->append(evaluated(10));
    telemetry->append(turned(40, "optimizer", "sgd", "adam"));
    EXPECT_TRUE(model.refresh());
    EXPECT_FALSE(model.refresh()) << "nothing is new";
    ASSERT_EQ(model.rowCount(), 4);
    for (int row = 0; row < 4; ++row) {
        EXPECT_EQ(model.stepOf(row), 10 * (row + 1));
    }
}

TEST_F(Log, ARowTellsTimeStepSamplesEventAndDetails) {
    LogModel model;
    model.setTelemetry(telemetry);
    telemetry->append(turned(650, "micro_batch", "32", "64"));
    telemetry->append(evaluated(700));
    Annotation refused = turned(710, "conv2d variant", "direct", "fft");
    refused.refused = true;
    refused.reason = "The conv2d variant fft is unknown.";
    telemetry->append(refused);
    model.refresh();
    EXPECT_EQ(rowText(model, 0), "1:05\t650\t20800\tmicro-batch\t32 \u2192 64");
    EXPECT_EQ(rowText(model, 1),
              "1:10\t700\t22400\tevaluation\taccuracy 91.23\u00a0%, loss 0.2500");
    EXPECT_EQ(rowText(model, 2),
              "1:11\t710\t22720\tconv2d variant\tdirect \u2192 fft refused: The conv2d variant fft "
              "is unknown.");
    EXPECT_TRUE(model.index(2, 0).data(Qt::ForegroundRole).isValid());
    EXPECT_FALSE(model.index(0, 0).data(Qt::ForegroundRole).isValid());
}

TEST_F(Log, TheSentenceOfAnEventOrErrorStandsInTheDetails) {
    LogModel model;
    model.setTelemetry(telemetry);
    telemetry->append(happened(1, AnnotationKind::event, "stopped", "96 samples were not learnt"));
    telemetry->append(happened(2, AnnotationKind::event, "loss NaN", "a smaller rate may help"));
    telemetry->append(happened(3, AnnotationKind::error, "error", "Out of memory; 5 MiB: gone."));
    model.refresh();
    const auto cell = [&](int row, int column) {
        return model.index(row, column).data().toString().toStdString();
    };
    EXPECT_EQ(cell(0, LogModel::event), "stopped");
    EXPECT_EQ(cell(0, LogModel::details), "96 samples were not learnt");
    EXPECT_EQ(cell(1, LogModel::event), "loss NaN");
    EXPECT_EQ(cell(1, LogModel::details), "a smaller rate may help");
    EXPECT_EQ(cell(2, LogModel::event), "error");
    EXPECT_EQ(cell(2, LogModel::details), "Out of memory; 5 MiB: gone.");
    EXPECT_FALSE(model.index(1, 0).data(Qt::ForegroundRole).isValid());
    EXPECT_TRUE(model.index(2, 0).data(Qt::ForegroundRole).isValid());
}

TEST_F(Log, AnotherTrainingBeginsAnotherLog) {
    LogModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    telemetry->append(evaluated(10));
    model.setTelemetry(telemetry);
    EXPECT_EQ(model.rowCount(), 1);
    model.setTelemetry(std::make_shared<Telemetry>());
    EXPECT_EQ(model.rowCount(), 0);
    model.setTelemetry(nullptr);
    EXPECT_FALSE(model.refresh());
}

class LogTable : public Log {
  protected:
    LogTable() {
        panel.resize(600, 150);
        panel.show();
        panel.setTelemetry(telemetry);
    }
    QTableView& table() { return *panel.findChild<QTableView*>(QStringLiteral("log")); }
    QScrollBar& bar() { return *table().verticalScrollBar(); }
    void append(int rows) {
        for (int i = 0; i < rows; ++i) {
            telemetry->append(evaluated(++step_));
        }
        panel.refresh();
        QApplication::processEvents();
    }
    LogPanel panel;

  private:
    double step_ = 0;
};

TEST_F(LogTable, SaysWhatWillBeThereWhileItIsEmpty) {
    EXPECT_FALSE(table().isVisible());
    append(1);
    EXPECT_TRUE(table().isVisible());
}

TEST_F(LogTable, FollowsTheNewestRowUntilScrolledAway) {
    append(50);
    EXPECT_GT(bar().maximum(), 0);
    EXPECT_EQ(bar().value(), bar().maximum());
    bar().setValue(5);
    append(50);
    EXPECT_EQ(bar().value(), 5) << "someone reads there";
    bar().setValue(bar().maximum());
    append(50);
    EXPECT_EQ(bar().value(), bar().maximum());
}

TEST_F(LogTable, CopiesTheSelectedRowsOrAll) {
    append(3);
    auto* copy = panel.findChild<QAction*>(QStringLiteral("copyLog"));
    copy->trigger();
    EXPECT_EQ(QGuiApplication::clipboard()->text().count(QLatin1Char('\n')), 2);
    table().selectRow(1);
    copy->trigger();
    EXPECT_THAT(QGuiApplication::clipboard()->text().toStdString(),
                ::testing::StartsWith("0:00\t2\t64\tevaluation"));
    EXPECT_FALSE(QGuiApplication::clipboard()->text().contains(QLatin1Char('\n')));
}

TEST_F(LogTable, AnActivatedRowTellsItsStep) {
    append(3);
    std::int64_t step = 0;
    QObject::connect(&panel, &LogPanel::activated, [&](std::int64_t at) { step = at; });
    Q_EMIT table().activated(table().model()->index(2, 1));
    EXPECT_EQ(step, 3);
}

}  // namespace
}  // namespace trainscope::ui
