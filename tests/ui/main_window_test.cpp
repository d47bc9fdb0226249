// SPDX-License-Identifier: GPL-3.0-or-later
// The window driven as a person does: start, turn knobs while it trains, pause, stop, export,
// close.
#include <gmock/gmock.h>

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <fstream>

#include "tests/ui/window_driver.h"
#include "ui/charts/chart_panel.h"
#include "ui/charts/chart_view.h"
#include "ui/export/export_control.h"
#include "ui/export/export_dialog.h"
#include "ui/knobs/knobs_panel.h"
#include "ui/panels/log_model.h"
#include "ui/panels/setup_panel.h"
#include "ui/panels/summary_dialog.h"
#include "ui/theme/palette.h"

namespace trainscope::ui {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using State = TrainingSession::State;

void turnCount(WindowDriver& driver, const char* knob, int value) {
    auto* spin = driver.part<QSpinBox>(knob);
    ASSERT_NE(spin, nullptr) << knob;
    spin->setValue(value);
}

// Chooses as a person does: the signal that a click gives, too.
void choose(QComboBox* box, int index) {
    ASSERT_NE(box, nullptr);
    ASSERT_GE(index, 0);
    box->setCurrentIndex(index);
    Q_EMIT box->activated(index);
}

TEST(MainWindow, StartTrainsAndTheStepsGrow) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started()) << driver.message().toStdString();
    const std::int64_t before = driver.steps();
    EXPECT_TRUE(becomes([&] { return driver.steps() > before; }));
    EXPECT_EQ(driver.session().run().telemetry->at(Metric::step, 0), 1);
    EXPECT_THAT(driver.window().windowTitle().toStdString(), HasSubstr("simple-cnn on digits"));
}

TEST(MainWindow, MicroBatchTurnedWhileTrainingIsAppliedAndRecorded) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    turnCount(driver, "micro_batchEdit", 24);
    EXPECT_THAT(driver.annotation("micro_batch").toStdString(), HasSubstr("16 -> 24"));
    EXPECT_TRUE(becomes([&] { return driver.session().status().micro_batch == 24; }));
}

TEST(MainWindow, AccumulationTurnedWhileTrainingIsAppliedAndRecorded) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    turnCount(driver, "accumulationEdit", 3);
    EXPECT_THAT(driver.annotation("accumulation").toStdString(), HasSubstr("1 -> 3"));
}

TEST(MainWindow, LearningRateTypedWhileTrainingIsAppliedAndRecorded) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    auto* rate = driver.part<QLineEdit>("learning_rateEdit");
    ASSERT_NE(rate, nullptr);
    rate->setFocus();
    rate->selectAll();
    QTest::keyClicks(rate, QStringLiteral("0.005"));
    QTest::keyClick(rate, Qt::Key_Return);
    EXPECT_THAT(driver.annotation("learning_rate").toStdString(), EndsWith(" 0.005"));
}

TEST(MainWindow, OptimizerChosenWhileTrainingIsAppliedAndRecorded) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    auto* box = driver.part<QComboBox>("optimizerEdit");
    ASSERT_NE(box, nullptr);
    choose(box, box->findData(QStringLiteral("adam")));
    EXPECT_THAT(driver.annotation("optimizer").toStdString(), HasSubstr("adam"));
    EXPECT_TRUE(
        becomes([&] { return driver.session().status().optimizer.kind == OptimizerKind::adam; }));
}

TEST(MainWindow, KernelVariantChosenWhileTrainingIsAppliedAndRecorded) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    auto* box = driver.part<QComboBox>("dense variantEdit");
    ASSERT_NE(box, nullptr);
    choose(box, box->findData(QStringLiteral("naive")));
    EXPECT_THAT(driver.annotation("dense variant").toStdString(), HasSubstr("naive"));
}

TEST(MainWindow, EvaluationIntervalTurnedWhileTrainingIsAppliedAndRecorded) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    turnCount(driver, "evaluation_intervalEdit", 5);
    EXPECT_THAT(driver.annotation("evaluation_interval").toStdString(),
                HasSubstr("-> every 5 steps"));
    EXPECT_TRUE(becomes([&] { return driver.session().status().evaluation_interval == 5; }));
    EXPECT_EQ(driver.part<QSpinBox>("evaluation_intervalEdit")->value(), 5);
}

TEST(MainWindow, RefusedKnobSaysWhyAndTheTrainingGoesOn) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    turnCount(driver, "micro_batchEdit", 100'000);  // of 600 samples
    EXPECT_THAT(driver.annotation("micro_batch").toStdString(), HasSubstr("100000"));
    EXPECT_TRUE(becomes([&] { return !driver.message().isEmpty(); }));
    EXPECT_THAT(driver.message().toStdString(), HasSubstr("600"));
    EXPECT_EQ(driver.session().status().micro_batch, 16);
    EXPECT_TRUE(becomes([&] { return driver.part<QSpinBox>("micro_batchEdit")->value() == 16; }));
    const std::int64_t before = driver.steps();
    EXPECT_TRUE(becomes([&] { return driver.steps() > before; }));
}

TEST(MainWindow, PauseHoldsStepTakesOneAndResumeGoesOn) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    driver.press("start");
    ASSERT_TRUE(becomes([&] { return driver.session().status().state == TrainerState::paused; }));
    const std::int64_t held = driver.steps();
    QTest::qWait(100);
    EXPECT_EQ(driver.steps(), held);
    driver.press("step");
    EXPECT_TRUE(becomes([&] { return driver.steps() == held + 1; }));
    EXPECT_TRUE(becomes([&] { return driver.session().status().state == TrainerState::paused; }));
    driver.press("start");
    EXPECT_TRUE(becomes([&] { return driver.steps() > held + 3; }));
}

TEST(MainWindow, StepBeforeTheStartTakesOneStepAndHolds) {
    WindowDriver driver;
    driver.press("step");
    ASSERT_TRUE(becomes([&] { return driver.steps() == 1; }));
    QTest::qWait(100);
    EXPECT_EQ(driver.steps(), 1);
    EXPECT_EQ(driver.session().status().state, TrainerState::paused);
}

TEST(MainWindow, StopEndsTheTrainingAndKeepsWhatItRecorded) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    driver.press("stop");
    ASSERT_TRUE(becomes([&] { return driver.session().state() == State::done; }));
    EXPECT_EQ(driver.session().status().state, TrainerState::stopped);
    EXPECT_GE(driver.session().run().telemetry->steps(), 3U);
    EXPECT_TRUE(driver.action("export")->isEnabled());
    EXPECT_TRUE(driver.action("start")->isEnabled());
}

TEST(MainWindow, ResetWhileTrainingClearsAndKeepsTheRunForExport) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    driver.press("reset");
    EXPECT_EQ(driver.session().state(), State::idle);
    EXPECT_EQ(driver.session().run().telemetry, nullptr);
    EXPECT_FALSE(driver.action("export")->isEnabled());
    EXPECT_TRUE(driver.action("export_previous")->isEnabled());
}

TEST(MainWindow, SecondStartIsANewRunAndTheFirstCanStillBeExported) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    driver.press("stop");
    ASSERT_TRUE(becomes([&] { return driver.session().state() == State::done; }));
    const auto first = driver.session().run().telemetry;
    driver.press("start");
    ASSERT_TRUE(becomes(
        [&] { return driver.session().state() == State::training && driver.steps() >= 3; }));
    EXPECT_NE(driver.session().run().telemetry, first);
    EXPECT_TRUE(driver.action("export_previous")->isEnabled());
}

TEST(MainWindow, ClassesOfTheDataAreNamedOnceItIsOpen) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    auto* names = driver.part<QLabel>("classNames");
    EXPECT_TRUE(names->isVisible());
    EXPECT_THAT(names->text().toStdString(), HasSubstr("10 classes: 0, 1, 2"));
    auto* box = driver.part<QComboBox>("dataset");
    choose(box, box->findData(QStringLiteral("cifar10")));
    EXPECT_FALSE(names->isVisible());
}

TEST(MainWindow, EvaluateNowAddsAnEvaluation) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    const auto telemetry = driver.session().run().telemetry;
    const std::size_t before = telemetry->evaluations().size();
    driver.press("evaluate");
    EXPECT_TRUE(becomes([&] { return telemetry->evaluations().size() > before; }));
}

TEST(MainWindow, XAxisChosenInTheBarIsThatOfChartsAndMenu) {
    WindowDriver driver;
    auto* box = driver.part<QComboBox>("x_axis");
    choose(box, box->findData(static_cast<int>(XAxis::epochs)));
    EXPECT_EQ(driver.part<ChartPanel>()->xAxis(), XAxis::epochs);
    EXPECT_TRUE(driver.action("x_epochs")->isChecked());
    driver.press("x_steps");
    EXPECT_EQ(driver.part<ChartPanel>()->xAxis(), XAxis::steps);
    EXPECT_EQ(box->currentData().toInt(), static_cast<int>(XAxis::steps));
}

TEST(MainWindow, ADoubleClickOnALogRowShowsThatMomentInTheCharts) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    turnCount(driver, "micro_batchEdit", 24);
    ASSERT_FALSE(driver.annotation("micro_batch").isEmpty());
    const Annotation turned = driver.session().run().telemetry->annotations().front();
    ASSERT_TRUE(becomes([&] { return static_cast<double>(driver.steps()) > turned.step + 20; }));
    driver.press("start");  // holds, so that the charts stand still
    auto* log = driver.part<QTableView>("log");
    ASSERT_TRUE(becomes([&] { return log->isVisible(); }));
    const QAbstractItemModel* rows = log->model();
    // Not always the first: the end of an epoch, which is an evaluation, may come before.
    const QModelIndexList found = rows->match(rows->index(0, LogModel::event), Qt::DisplayRole,
                                              QStringLiteral("micro-batch"));
    ASSERT_FALSE(found.isEmpty());
    log->scrollTo(found.front());
    const QPoint row = log->visualRect(found.front()).center();
    QTest::mouseClick(log->viewport(), Qt::LeftButton, {}, row);
    QTest::mouseDClick(log->viewport(), Qt::LeftButton, {}, row);
    EXPECT_FALSE(driver.part<ChartPanel>()->follow());
    const Interval shown = driver.part<ChartView>("loss")->chart().picture().x;
    EXPECT_NEAR((shown.low + shown.high) / 2, turned.samples, 24);
}

TEST(MainWindow, ExportWhileTrainingWritesChartsAndLogs) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    ExportChoice choice;
    choice.folder = QString::fromStdString((driver.folder() / "out").string());
    auto* exports = driver.part<ExportControl>();
    exports->write(choice, driver.session().run(), driver.part<ChartPanel>()->settings());
    ASSERT_TRUE(becomes([&] { return !exports->busy(); }));
    EXPECT_THAT(driver.message().toStdString(), HasSubstr("Exported"));
    const QDir out(choice.folder);
    for (const char* file : {"loss.png", "throughput.png", "memory.png", "log.csv"}) {
        EXPECT_TRUE(QFileInfo::exists(out.filePath(QLatin1String(file)))) << file;
    }
    EXPECT_EQ(driver.session().state(), State::training);
}

TEST(MainWindow, AnExportThatIsCancelledSaysSoAndLeavesNoLog) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    ExportChoice choice;
    choice.folder = QString::fromStdString((driver.folder() / "out").string());
    choice.charts = {ChartId::loss};
    auto* exports = driver.part<ExportControl>();
    auto* cancel = driver.part<QPushButton>("cancel_export");
    EXPECT_FALSE(cancel->isVisible());
    // Pressed as soon as it is there, before the worker has the logs.
    QObject::connect(exports, &ExportControl::started, cancel, [cancel] {
        EXPECT_TRUE(cancel->isVisible());
        cancel->click();
    });
    exports->write(choice, driver.session().run(), driver.part<ChartPanel>()->settings());
    ASSERT_TRUE(becomes([&] { return !exports->busy(); }));
    EXPECT_THAT(driver.message().toStdString(), HasSubstr("cancelled"));
    EXPECT_FALSE(cancel->isVisible());
    EXPECT_FALSE(QFileInfo::exists(QDir(choice.folder).filePath(QStringLiteral("log.csv"))));
    EXPECT_EQ(driver.session().state(), State::training);
}

TEST(MainWindow, ExportToAFileInsteadOfAFolderIsAnErrorThatNamesIt) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    ExportChoice choice;
    choice.folder = QString::fromStdString((driver.folder() / "settings.ini" / "in").string());
    auto* exports = driver.part<ExportControl>();
    exports->write(choice, driver.session().run(), driver.part<ChartPanel>()->settings());
    ASSERT_TRUE(becomes([&] { return !exports->busy(); }));
    EXPECT_THAT(driver.message().toStdString(), HasSubstr("settings.ini"));
    EXPECT_EQ(driver.session().state(), State::training);
}

TEST(MainWindow, StopWhileDataIsOpenedGoesBackToTheStart) {
    RunSettings run = smallRun();
    run.dataset.train_count = 300'000;
    WindowDriver driver(run);
    driver.press("start");
    QTest::qWait(50);
    driver.press("stop");
    EXPECT_TRUE(becomes([&] { return driver.session().state() == State::idle; }));
    EXPECT_TRUE(driver.action("start")->isEnabled());
}

TEST(MainWindow, MissingDataFolderIsAnErrorThatNamesItAndStartCanBePressedAgain) {
    RunSettings run = smallRun();
    run.dataset = {};
    run.dataset.name = "mnist";
    run.dataset.folder = "/nowhere/mnist";
    WindowDriver driver(run);
    driver.press("start");
    EXPECT_TRUE(becomes([&] { return !driver.message().isEmpty(); }));
    EXPECT_THAT(driver.message().toStdString(), HasSubstr("/nowhere/mnist"));
    EXPECT_TRUE(becomes([&] { return driver.action("start")->isEnabled(); }));
}

TEST(MainWindow, StartThatFailsKeepsTheRunBeforeIt) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    driver.press("stop");
    ASSERT_TRUE(becomes([&] { return driver.session().state() == State::done; }));
    const auto recorded = driver.session().run().telemetry;
    auto* box = driver.part<QComboBox>("dataset");
    choose(box, box->findData(QStringLiteral("cifar10")));
    driver.press("start");
    EXPECT_TRUE(becomes([&] { return !driver.message().isEmpty(); }));
    EXPECT_TRUE(becomes([&] { return driver.session().state() == State::done; }));
    EXPECT_EQ(driver.session().run().telemetry, recorded);
    EXPECT_TRUE(driver.action("export")->isEnabled());
}

TEST(MainWindow, BrokenModelFileIsAnErrorThatNamesTheLayer) {
    testing::TemporaryFolder folder;
    const auto file = folder.path() / "odd.json";
    std::ofstream(file) << R"({"name": "odd", "layers": [{"type": "conv9d"}]})";
    RunSettings run = smallRun();
    run.model = file.string();
    WindowDriver driver(run);
    EXPECT_TRUE(becomes([&] { return !driver.message().isEmpty(); }));
    EXPECT_THAT(driver.message().toStdString(), HasSubstr("conv9d"));
    EXPECT_TRUE(driver.action("start")->isEnabled());
}

OptimizerKind optimizerAfterChoosingKerasCnn(const OptimizerSettings& before) {
    RunSettings run = smallRun();
    run.optimizer = before;
    WindowDriver driver(run);
    auto* box = driver.part<QComboBox>("model");
    choose(box, box->findText(QStringLiteral("keras-cnn")));
    EXPECT_THAT(driver.window().windowTitle().toStdString(), HasSubstr("keras-cnn"));
    RunSettings found;
    driver.part<KnobsPanel>()->writeTo(found);
    return found.optimizer.kind;
}

TEST(MainWindow, ModelChosenBringsItsUsualOptimizerUnlessAnotherWasChosen) {
    OptimizerSettings usual = find_model("simple-cnn")->optimizer;
    EXPECT_EQ(optimizerAfterChoosingKerasCnn(usual), OptimizerKind::adam);
    usual.kind = OptimizerKind::sgd;
    EXPECT_EQ(optimizerAfterChoosingKerasCnn(usual), OptimizerKind::sgd);
}

TEST(MainWindow, SummaryOfTheChosenModelIsShown) {
    WindowDriver driver;
    driver.press("summary");
    EXPECT_TRUE(becomes([&] { return driver.part<SummaryDialog>() != nullptr; }));
}

// The colour that most of an icon's opaque pixels have.
QColor inkOf(const QIcon& icon) {
    const QImage picture = icon.pixmap(QSize(32, 32)).toImage();
    QMap<QRgb, int> counts;
    for (int y = 0; y < picture.height(); ++y) {
        for (int x = 0; x < picture.width(); ++x) {
            if (picture.pixelColor(x, y).alpha() == 255) {
                ++counts[picture.pixel(x, y)];
            }
        }
    }
    const auto most = std::max_element(counts.begin(), counts.end());
    return most == counts.end() ? QColor() : QColor(most.key());
}

TEST(MainWindow, IconsFollowThePaletteIntoTheDarkAndBack) {
    WindowDriver driver;
    const QPalette before = QApplication::palette();
    for (const Colors* colors : {&darkColors(), &lightColors()}) {
        QApplication::setPalette(applicationPalette(*colors));
        for (const char* name : {"start", "stop", "step"}) {
            EXPECT_EQ(inkOf(driver.action(name)->icon()), colors->text) << name;
        }
        const QString folder = qEnvironmentVariable("TRAINSCOPE_PICTURES");
        if (!folder.isEmpty()) {
            ASSERT_TRUE(driver.started());
            driver.window().resize(1280, 800);
            QTest::qWait(2000);
            driver.window().grab().save(
                QDir(folder).filePath(colors->dark ? QStringLiteral("window_dark.png")
                                                   : QStringLiteral("window_light.png")));
            driver.press("reset");
        }
    }
    QApplication::setPalette(before);
}

TEST(MainWindow, ShortcutsGoBeforeWhatAFieldWithTheFocusDoesWithTheirKeys) {
    WindowDriver driver;
    ASSERT_TRUE(driver.started());
    driver.window().activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&driver.window()));
    for (const char* name : {"micro_batchEdit", "learning_rateEdit"}) {
        auto* field = driver.part<QWidget>(name);
        field->setFocus();
        for (const QAction* action : driver.window().actions()) {
            if (!action->isEnabled() || action->shortcut().isEmpty()) {
                continue;
            }
            const QKeyCombination keys = action->shortcut()[0];
            QKeyEvent press(QEvent::ShortcutOverride, keys.key(), keys.keyboardModifiers());
            QApplication::sendEvent(field, &press);
            EXPECT_FALSE(press.isAccepted()) << action->objectName().toStdString();
        }
        QKeyEvent copy(QEvent::ShortcutOverride, Qt::Key_C, Qt::ControlModifier);
        QApplication::sendEvent(field, &copy);
        EXPECT_TRUE(copy.isAccepted()) << "what is no shortcut is the field's";
    }
    QTest::keyClick(driver.part<QWidget>("micro_batchEdit"), Qt::Key_E, Qt::ControlModifier);
    EXPECT_NE(driver.window().findChild<ExportDialog*>(), nullptr);
}

TEST(MainWindow, NoTwoActionsShareAShortcut) {
    WindowDriver driver;
    QStringList keys;
    for (const QAction* action : driver.window().actions()) {
        for (const QKeySequence& key : action->shortcuts()) {
            keys << key.toString();
        }
    }
    EXPECT_GT(keys.size(), 10);
    EXPECT_EQ(keys.removeDuplicates(), 0);
}

}  // namespace
}  // namespace trainscope::ui
