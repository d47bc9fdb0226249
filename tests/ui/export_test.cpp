// SPDX-License-Identifier: GPL-3.0-or-later
// What the dialog asks for is remembered and is what is written.
#include <gmock/gmock.h>

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QGuiApplication>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTableWidget>
#include <QTemporaryDir>

#include "engine/model/graph.h"
#include "tests/ui/charts_run.h"
#include "ui/export/export_dialog.h"
#include "ui/export/export_job.h"
#include "ui/number_text.h"
#include "ui/panels/summary_dialog.h"

namespace trainscope::ui {
namespace {

using ::testing::HasSubstr;

class Export : public ::testing::Test {
  protected:
    QString path(const char* name) const { return folder.filePath(QLatin1String(name)); }
    QStringList filesIn(const QString& where) const {
        return QDir(where).entryList(QDir::Files, QDir::Name);
    }
    ExportResult exportAll(const ExportChoice& choice) const {
        ExportResult result = exportChartFiles(choice, *run, description, {});
        result.add(exportLogs(choice, *run, description));
        return result;
    }
    QTemporaryDir folder;
    std::shared_ptr<Telemetry> run = realisticRun(200);
    RunDescription description{.configuration = {{"model", "simple-cnn"}}, .environment = {}};
};

TEST_F(Export, ADialogGivesBackTheChoiceItWasGiven) {
    ExportChoice choice;
    choice.folder = path("results");
    choice.charts = {ChartId::loss, ChartId::gradient_norm};
    choice.picture.format = QStringLiteral("svg");
    choice.picture.size = {800, 300};
    choice.picture.dpi = 192;
    choice.logs = {QStringLiteral("csv")};
    EXPECT_EQ(ExportDialog(choice).choice(), choice);
}

TEST_F(Export, AChoiceIsRememberedAndNonsenseInSettingsIsNot) {
    ExportChoice choice;
    choice.folder = path("results");
    choice.charts = {};
    choice.picture.format = QStringLiteral("pdf");
    choice.picture.dpi = 300;
    choice.logs = {QStringLiteral("csv")};
    QSettings settings(path("settings.ini"), QSettings::IniFormat);
    saveExportChoice(settings, choice);
    EXPECT_EQ(loadExportChoice(settings), choice);

    settings.setValue(QStringLiteral("export/chart_format"), QStringLiteral("gif"));
    settings.setValue(QStringLiteral("export/dpi"), -5);
    settings.setValue(QStringLiteral("export/chart_width"), QStringLiteral("wide"));
    settings.setValue(QStringLiteral("export/logs"), QStringList{QStringLiteral("xml")});
    const ExportChoice read = loadExportChoice(settings);
    EXPECT_EQ(read.picture.format, ExportChoice().picture.format);
    EXPECT_EQ(read.picture.dpi, ExportChoice().picture.dpi);
    EXPECT_EQ(read.picture.size, ExportChoice().picture.size);
    EXPECT_TRUE(read.logs.isEmpty());
}

TEST_F(Export, NothingToExportOrNowhereToCannotBeAccepted) {
    ExportChoice choice;
    ExportDialog dialog(choice);
    auto* start = dialog.findChild<QPushButton*>(QStringLiteral("startExport"));
    EXPECT_FALSE(start->isEnabled()) << "no folder";
    dialog.findChild<QLineEdit*>(QStringLiteral("exportFolder"))->setText(path("results"));
    EXPECT_TRUE(start->isEnabled());
    for (QCheckBox* check : dialog.findChildren<QCheckBox*>()) {
        check->setChecked(false);
    }
    EXPECT_FALSE(start->isEnabled()) << "no file";
}

TEST_F(Export, TheDialogTellsThePixelsOfAPngAndDotsOnlyForIt) {
    ExportChoice choice;
    choice.picture.dpi = 192;
    ExportDialog dialog(choice);
    auto* pixels = dialog.findChild<QLabel*>(QStringLiteral("chartPixels"));
    auto* dpi = dialog.findChild<QSpinBox*>(QStringLiteral("chartDpi"));
    EXPECT_EQ(pixels->text(), QStringLiteral("2400 \u00d7 1000 pixels a chart"));
    auto* format = dialog.findChild<QComboBox*>(QStringLiteral("chartFormat"));
    format->setCurrentIndex(format->findData(QStringLiteral("svg")));
    EXPECT_FALSE(dpi->isEnabled());
}

TEST_F(Export, WhatNoFileCanHoldCannotBeAskedFor) {
    ExportChoice choice;
    choice.folder = path("results");
    choice.picture.size = {10'000, 5'000};
    choice.picture.dpi = 1200;
    ExportDialog dialog(choice);
    const auto* button = dialog.findChild<QPushButton*>(QStringLiteral("startExport"));
    EXPECT_FALSE(button->isEnabled());
    EXPECT_THAT(button->toolTip().toStdString(), HasSubstr("20000"));
    dialog.findChild<QSpinBox*>(QStringLiteral("chartDpi"))->setValue(96);
    EXPECT_TRUE(button->isEnabled());
}

TEST_F(Export, OnALowScreenTheDialogScrollsAndItsButtonsStay) {
    ExportDialog dialog{ExportChoice()};
    dialog.resize(dialog.sizeHint().width(), 300);
    dialog.show();
    EXPECT_LE(dialog.height(), 300);
    const auto* button = dialog.findChild<QPushButton*>(QStringLiteral("startExport"));
    EXPECT_TRUE(
        dialog.rect().contains(QRect(button->mapTo(&dialog, QPoint(0, 0)), button->size())));
    dialog.resize(dialog.sizeHint());
    const auto* dpi = dialog.findChild<QSpinBox*>(QStringLiteral("chartDpi"));
    EXPECT_FALSE(dpi->visibleRegion().isEmpty()) << "where there is room all of it is shown";
}

TEST_F(Export, WritesTheChosenFilesAndNoOther) {
    ExportChoice choice;
    choice.folder = path("deep/results");
    choice.charts = {ChartId::loss, ChartId::memory};
    choice.picture.size = {400, 200};
    choice.picture.dpi = 192;
    choice.logs = {QStringLiteral("csv")};
    const ExportResult result = exportAll(choice);
    ASSERT_TRUE(result.errors.empty()) << result.errorText().toStdString();
    EXPECT_EQ(filesIn(choice.folder).join(QLatin1Char(' ')),
              QStringLiteral("log.csv loss.png memory.png"));
    EXPECT_EQ(result.files.size(), 3);
    for (const QString& file : result.files) {
        EXPECT_TRUE(QFile::exists(file)) << file.toStdString();
    }
    EXPECT_EQ(QImage(path("deep/results/loss.png")).size(), QSize(800, 400));
}

TEST_F(Export, EveryLogOfTheEngineCanBeWritten) {
    ExportChoice choice;
    choice.folder = path("logs");
    choice.charts.clear();
    ASSERT_EQ(choice.logs.size(), static_cast<qsizetype>(log_exporters().size()));
    const ExportResult result = exportAll(choice);
    ASSERT_TRUE(result.errors.empty()) << result.errorText().toStdString();
    for (const LogExporter& exporter : log_exporters()) {
        const QFileInfo file(
            QDir(choice.folder).filePath(QString::fromStdString(std::string(exporter.file_name))));
        EXPECT_GT(file.size(), 0) << exporter.file_name;
    }
}

TEST_F(Export, AFolderThatCannotBeMadeIsNamed) {
    QFile file(path("file"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    ExportChoice choice;
    choice.folder = path("file/results");
    const ExportResult result = exportAll(choice);
    ASSERT_FALSE(result.errors.empty());
    EXPECT_EQ(result.errors.front().code, ErrorCode::io);
    EXPECT_THAT(result.errors.front().message, HasSubstr(choice.folder.toStdString()));
    choice.folder.clear();
    EXPECT_EQ(exportAll(choice).errors.front().code, ErrorCode::invalid_argument);
}

TEST_F(Export, AFileThatCannotBeWrittenCostsNoOther) {
    ExportChoice choice;
    choice.folder = path("partly");
    choice.charts = {ChartId::loss, ChartId::memory};
    choice.logs = {QStringLiteral("csv"), QStringLiteral("jsonl")};
    // Folders where files should go.
    ASSERT_TRUE(QDir().mkpath(path("partly/loss.png/x")) &&
                QDir().mkpath(path("partly/log.csv/x")));
    const ExportResult result = exportAll(choice);
    EXPECT_EQ(result.errors.size(), 2U);
    EXPECT_EQ(result.errors.front().file, path("partly/loss.png").toStdString());
    EXPECT_EQ(result.errors.back().file, path("partly/log.csv").toStdString());
    EXPECT_EQ(result.errorText().toStdString(), "Cannot write '" +
                                                    path("partly/loss.png").toStdString() +
                                                    "' and 1 more file: Is a directory.");
    EXPECT_TRUE(QFile::exists(path("partly/memory.png")));
    EXPECT_TRUE(QFile::exists(path("partly/log.jsonl")));
}

TEST_F(Export, AFolderWhoseNameIsNotUtf8IsRefused) {
    const Result<void> ready = prepareExportFolder("/tmp/caf\xe9");
    ASSERT_FALSE(ready.has_value());
    EXPECT_THAT(ready.error().message, HasSubstr("not UTF-8"));
}

TEST(Summary, ShowsEachLayerAndTheTotalsAndCopiesAsText) {
    const Graph graph = build_graph(*find_model("simple-cnn"), Shape{1, 28, 28}, 10).value();
    SummaryDialog dialog(graph);
    const auto* table = dialog.findChild<QTableWidget*>(QStringLiteral("summaryTable"));
    const std::vector<SummaryRow> rows = summarize(graph);
    ASSERT_EQ(table->rowCount(), static_cast<int>(rows.size()));
    for (int row = 0; row < table->rowCount(); ++row) {
        const SummaryRow& expected = rows[static_cast<std::size_t>(row)];
        EXPECT_EQ(table->item(row, 0)->text().toStdString(), expected.layer);
        EXPECT_EQ(table->item(row, 1)->text().toStdString(), expected.output);
        if (expected.parameters > 0) {
            EXPECT_EQ(table->item(row, 2)->text(), countText(expected.parameters));
        }
    }
    EXPECT_THAT(dialog.findChild<QLabel*>(QStringLiteral("summaryTotals"))->text().toStdString(),
                HasSubstr(countText(graph.parameter_count()).toStdString()));
    dialog.findChild<QPushButton*>(QStringLiteral("copySummary"))->click();
    EXPECT_EQ(QGuiApplication::clipboard()->text().toStdString(), summary_text(graph));
}

}  // namespace
}  // namespace trainscope::ui
