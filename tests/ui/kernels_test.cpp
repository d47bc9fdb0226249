// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel bench in the window: what it measures, when it is refused, and what it exports.
#include <gmock/gmock.h>

#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "engine/ops/kernel_variant.h"
#include "tests/ui/window_driver.h"
#include "ui/kernels/bench_export.h"
#include "ui/kernels/bench_model.h"
#include "ui/kernels/bench_picture.h"
#include "ui/kernels/kernels_control.h"
#include "ui/kernels/kernels_panel.h"

namespace trainscope::ui {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::StartsWith;
using State = TrainingSession::State;

// The page in a window, as a person uses it.
class Bench {
  public:
    explicit Bench(std::optional<RunSettings> run = smallRun()) : driver_(std::move(run)) {
        driver_.press("kernels");
        driver_.part<QDoubleSpinBox>("benchTime")->setValue(0.05);
    }

    WindowDriver& window() { return driver_; }
    KernelsPanel& panel() { return *driver_.part<KernelsPanel>(); }
    KernelsControl& control() { return *driver_.part<KernelsControl>(); }

    void choose(const char* op, const char* shape) {
        auto* what = driver_.part<QComboBox>("benchWhat");
        what->setCurrentIndex(what->findData(QLatin1String(op)));
        driver_.part<QLineEdit>("benchShape")->setText(QLatin1String(shape));
    }
    void run() { driver_.part<QPushButton>("benchRun")->click(); }
    bool ends() {
        return becomes([this] { return !control().busy(); }, 60'000);
    }
    std::string sentence() { return driver_.part<QLabel>("benchSentence")->text().toStdString(); }
    QStringList column(BenchModel::Column column) {
        const QAbstractItemModel* table = driver_.part<QTableView>("benchTable")->model();
        QStringList texts;
        for (int row = 0; row < table->rowCount(); ++row) {
            texts << table->index(row, column).data().toString();
        }
        return texts;
    }

  private:
    WindowDriver driver_;
};

TEST(Kernels, EveryVariantOfAnOperatorIsMeasuredForAShape) {
    Bench bench;
    bench.choose("dense", "n=4,in=20,out=6");
    bench.run();
    ASSERT_TRUE(bench.ends());
    EXPECT_EQ(bench.sentence(), "");
    std::set<std::string> expected;
    for (const VariantInfo& info : list_variants(DeviceKind::cpu)) {
        if (info.op == "dense") {
            expected.insert(info.name);
        }
    }
    std::set<std::string> shown;
    for (const BenchRow& row : bench.panel().report().rows) {
        ASSERT_TRUE(row.times && row.error) << row.variant;
        EXPECT_GT(row.times->median, 0);
        EXPECT_TRUE(row.error->within_bound()) << row.variant;
        shown.insert(row.variant);
    }
    EXPECT_EQ(shown, expected);
    EXPECT_TRUE(bench.column(BenchModel::median).filter(QStringLiteral("s")).size() > 0);
}

TEST(Kernels, EachLayerOfTheChosenModelIsMeasuredAtItsMicroBatch) {
    Bench bench;
    // Its graph comes from the worker.
    auto* shape = bench.window().part<QLineEdit>("benchShape");
    ASSERT_TRUE(becomes([&] { return shape->text().contains(QLatin1String("simple-cnn")); }));
    ASSERT_TRUE(becomes([&] {
        bench.run();
        return bench.control().busy();
    }));
    ASSERT_TRUE(bench.ends());
    std::set<std::string> layers;
    for (const BenchRow& row : bench.panel().report().rows) {
        layers.insert(row.layer);
        if (row.op == "conv2d") {
            EXPECT_THAT(row.shape, StartsWith("n=16,c=1,h=28,w=28"));
        }
    }
    EXPECT_THAT(layers, Contains(HasSubstr("conv1")));
    EXPECT_THAT(layers, Contains("fc1"));
    // The pictures show one shape, which can be chosen.
    auto* shown = bench.window().part<QComboBox>("benchShown");
    ASSERT_GE(shown->count(), 2);
    shown->setCurrentIndex(1);
    const std::vector<BenchRow>& rows = bench.panel().report().rows;
    EXPECT_NE(rows.at(bench.panel().shownItem()).shape, rows.front().shape);
}

TEST(Kernels, AShapeThatCannotBeReadIsSaidAndNothingRuns) {
    Bench bench;
    bench.choose("conv2d", "n=4,colour=3");
    bench.run();
    EXPECT_FALSE(bench.control().busy());
    EXPECT_THAT(bench.sentence(), AllOf(HasSubstr("colour"), HasSubstr("conv2d")));
    bench.choose("conv2d", "n=0");
    bench.run();
    EXPECT_FALSE(bench.control().busy());
    EXPECT_THAT(bench.sentence(), AllOf(HasSubstr("n:"), HasSubstr("from 1")));
}

TEST(Kernels, NoBenchRunsBesideATrainingOnItsDeviceNorTheOtherWayRound) {
    Bench bench;
    ASSERT_TRUE(bench.window().started());
    bench.choose("relu", "elements=64");
    bench.run();
    EXPECT_FALSE(bench.control().busy());
    EXPECT_THAT(bench.sentence(), HasSubstr("A training runs on cpu"));
    EXPECT_EQ(bench.window().session().state(), State::training);
    bench.window().press("stop");
    ASSERT_TRUE(becomes([&] { return bench.window().session().state() != State::training; }));
    bench.run();
    ASSERT_TRUE(bench.control().busy());
    bench.window().press("start");
    EXPECT_THAT(bench.window().message().toStdString(), HasSubstr("The kernel bench runs on cpu"));
    EXPECT_NE(bench.window().session().state(), State::training);
    bench.control().cancel();
    ASSERT_TRUE(bench.ends());
    EXPECT_TRUE(bench.window().started());
}

TEST(Kernels, ACancelledBenchShowsWhatItMeasured) {
    Bench bench;
    bench.window().part<QDoubleSpinBox>("benchTime")->setValue(60);
    bench.choose("relu", "elements=4000000");
    bench.run();
    auto* run = bench.window().part<QPushButton>("benchRun");
    EXPECT_EQ(run->text().toStdString(), "Cancel");
    // Until each variant was timed a few times: it is told once a round at most.
    int rounds = 0;
    QObject::connect(bench.window().part<BenchSession>(), &BenchSession::progressed, run,
                     [&rounds](double, const QString& now) {
                         rounds += now.endsWith(QLatin1String("forward")) ? 1 : 0;
                     });
    ASSERT_TRUE(becomes([&] { return rounds >= 5; }, 60'000));
    run->click();
    ASSERT_TRUE(bench.ends());
    EXPECT_THAT(bench.sentence(), HasSubstr("Cancelled"));
    EXPECT_EQ(run->text().remove(QLatin1Char('&')).toStdString(), "Run");
    ASSERT_FALSE(bench.panel().report().rows.empty());
    EXPECT_TRUE(bench.panel().report().rows.front().times);
}

TEST(Kernels, AWindowThatIsClosedDuringABenchEndsWithinASecond) {
    Bench bench;
    bench.window().part<QDoubleSpinBox>("benchTime")->setValue(60);
    bench.choose("relu", "elements=4096");
    bench.run();
    ASSERT_TRUE(bench.control().busy());
    QTest::qWait(300);
    EXPECT_THAT(bench.window().closeSeconds(), AllOf(Ge(0), Lt(1.0)));
}

// Two variants with times, a third that is wrong, a fourth that was not run.
BenchReport someReport() {
    BenchReport report;
    report.device = {.id = "cpu", .description = "a machine"};
    report.ceilings = BenchCeilings{2e10, 3e11, "blocked"};
    const auto add = [&report](const char* variant, const char* pass) -> BenchRow& {
        BenchRow& row = report.rows.emplace_back();
        row.op = "dense";
        row.shape = "n=4,in=20,out=6";
        row.variant = variant;
        row.pass = pass;
        return row;
    };
    const auto add_run = [&](const char* variant, const char* pass, double seconds) {
        BenchRow& row = add(variant, pass);
        row.times = BenchTimes{seconds, 0.9 * seconds, 1.2 * seconds, 9};
        row.error = BenchError{1e-7, 1e-6, "y", row.shape};
        row.flops = 1e6;
        row.bytes = 1e5;
    };
    add_run("blocked", "forward", 1e-5);
    add_run("blocked", "backward", 3e-5);
    add_run("naive", "forward", 8e-5);
    add_run("naive", "backward", 2e-4);
    add_run("wrong", "forward", 9e-5);
    report.rows.back().error->relative_l2 = std::numeric_limits<double>::quiet_NaN();
    add("tiled", "").refusal = "it needs 16 inputs or more";
    return report;
}

QImage drawn(BenchPicture picture, const BenchReport& report, bool dark) {
    QImage image(700, 300, QImage::Format_RGB32);
    const Colors& colors = colorsFor(dark);
    image.fill(colors.window);
    QPainter painter(&image);
    paintBenchPicture(painter, QRectF(image.rect()), picture,
                      {.report = report, .colors = colors, .font = {}, .locale = QLocale::c()});
    return image;
}

// From where to where a colour is seen in a row of pixels, below the legend.
struct Extent {
    int left = std::numeric_limits<int>::max();
    int right = -1;
    double width() const { return right - left; }
};

Extent extentOf(const QImage& image, const QColor& color) {
    Extent extent;
    for (int y = 40; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (image.pixel(x, y) == color.rgb()) {
                extent.left = std::min(extent.left, x);
                extent.right = std::max(extent.right, x);
            }
        }
    }
    return extent;
}

TEST(BenchPictures, BarsAreAsLongAsTheirTimes) {
    const QImage image = drawn(BenchPicture::times, someReport(), false);
    // The longest of each pass: 90 us forward, 200 us backward.
    const double forward = extentOf(image, lightColors().series[0].fill).width();
    const double backward = extentOf(image, lightColors().series[1].fill).width();
    ASSERT_GT(forward, 0);
    EXPECT_NEAR(backward / forward, 200.0 / 90.0, 0.03);
}

TEST(BenchPictures, AreDrawnInBothThemesAndDifferWithTheTimes) {
    for (const bool dark : {false, true}) {
        for (const BenchPicture picture : {BenchPicture::times, BenchPicture::roofline}) {
            const QImage empty = drawn(picture, BenchReport{}, dark);
            const QImage full = drawn(picture, someReport(), dark);
            EXPECT_NE(full, empty);
            BenchReport slower = someReport();
            slower.rows[0].times->median *= 3;
            EXPECT_NE(drawn(picture, slower, dark), full);
        }
    }
}

TEST(BenchTable, ShowsWhatWasNotRunWithTheReasonAndMarksWhatIsWrong) {
    BenchModel model;
    model.setReport(someReport());
    ASSERT_EQ(model.rowCount(), 6);
    const auto text = [&](int row, BenchModel::Column column) {
        return model.index(row, column).data().toString().toStdString();
    };
    EXPECT_THAT(text(5, BenchModel::note), HasSubstr("it needs 16 inputs or more"));
    EXPECT_EQ(text(5, BenchModel::median), "");
    EXPECT_THAT(text(0, BenchModel::median), HasSubstr("10.0"));
    EXPECT_NE(model.index(4, BenchModel::error).data(Qt::ForegroundRole),
              model.index(0, BenchModel::error).data(Qt::ForegroundRole));
    EXPECT_THAT(model.index(4, BenchModel::error).data(Qt::ToolTipRole).toString().toStdString(),
                HasSubstr("of at most"));
    // Sorted by the number, not by its text.
    EXPECT_LT(model.index(0, BenchModel::median).data(BenchModel::sortRole).toDouble(),
              model.index(2, BenchModel::median).data(BenchModel::sortRole).toDouble());
}

std::string contentOf(const QString& file) {
    std::ifstream in(file.toStdString(), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

TEST(BenchExport, WritesTheTableAndBothPicturesInEveryKind) {
    const testing::TemporaryFolder folder;
    const QDir out(QString::fromStdString(folder.path().string()));
    const QString csv = out.filePath(QStringLiteral("b.csv"));
    ASSERT_TRUE(exportBenchTable(someReport(), csv));
    EXPECT_THAT(contentOf(csv), AllOf(HasSubstr("blocked"), HasSubstr("it needs 16 inputs")));
    const std::pair<const char*, const char*> kinds[] = {
        {"png", "\x89PNG"}, {"svg", "<?xml"}, {"pdf", "%PDF"}};
    for (const auto& [ending, start] : kinds) {
        for (const BenchPicture picture : {BenchPicture::times, BenchPicture::roofline}) {
            const QString file = out.filePath(QStringLiteral("p.") + QLatin1String(ending));
            const auto written =
                exportBenchPicture(someReport(), 0, picture, false, {800, 400}, file);
            ASSERT_TRUE(written) << written.error().message;
            EXPECT_THAT(contentOf(file), StartsWith(start));
        }
    }
    QImage image(out.filePath(QStringLiteral("p.png")));
    EXPECT_EQ(image.size(), QSize(800, 400));
}

TEST(BenchExport, AFileThatCannotBeWrittenIsNamed) {
    Bench bench;
    bench.panel().setReport(someReport());
    bench.control().writeTable(QStringLiteral("/nowhere/b.csv"));
    EXPECT_THAT(bench.sentence(), HasSubstr("/nowhere/b.csv"));
    bench.control().writePicture(BenchPicture::times, QStringLiteral("/nowhere/b.png"));
    EXPECT_THAT(bench.sentence(), HasSubstr("/nowhere/b.png"));
    bench.control().writePicture(BenchPicture::times, QStringLiteral("/tmp/b.bmp"));
    EXPECT_THAT(bench.sentence(), AllOf(HasSubstr("b.bmp"), HasSubstr("svg")));
}

}  // namespace
}  // namespace trainscope::ui
