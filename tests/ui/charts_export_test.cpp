// SPDX-License-Identifier: GPL-3.0-or-later
// Charts as files, from charts that no window ever showed.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <QFile>
#include <QImage>
#include <QTemporaryDir>
#include <csignal>
#include <filesystem>

#include "tests/ui/charts_run.h"
#include "ui/export/chart_export.h"
#include "ui/theme/palette.h"

namespace trainscope::ui {
namespace {

using testing::HasSubstr;

class ChartFiles : public testing::Test {
  protected:
    QString path(const char* name) { return folder.filePath(QString::fromLatin1(name)); }
    static QByteArray content(const QString& file) {
        QFile in(file);
        return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
    }

    QTemporaryDir folder;
    std::shared_ptr<Telemetry> run = realisticRun(1500);
    ChartSettings settings;
    PictureOptions options;
};

TEST_F(ChartFiles, APngHasTheSizeAskedForAndMorePixelsAtMoreDots) {
    options.size = {600, 300};
    ASSERT_TRUE(exportChart(ChartId::loss, *run, settings, options, path("a.png")));
    EXPECT_EQ(QImage(path("a.png")).size(), QSize(600, 300));
    options.dpi = 192;
    ASSERT_TRUE(exportChart(ChartId::loss, *run, settings, options, path("b.png")));
    const QImage fine(path("b.png"));
    EXPECT_EQ(fine.size(), QSize(1200, 600));
    EXPECT_NEAR(fine.dotsPerMeterX(), 192 / 0.0254, 1);
}

TEST_F(ChartFiles, TheFinerPngIsDrawnAndNotScaled) {
    options.size = {600, 300};
    ASSERT_TRUE(exportChart(ChartId::loss, *run, settings, options, path("a.png")));
    options.dpi = 192;
    ASSERT_TRUE(exportChart(ChartId::loss, *run, settings, options, path("b.png")));
    const QImage scaled = QImage(path("a.png")).scaled(1200, 600);
    const QImage fine(path("b.png"));
    // Scaled up by repeating pixels, every second row is the same as the one before.
    int differing = 0;
    for (int y = 0; y + 1 < fine.height(); y += 2) {
        for (int x = 0; x < fine.width(); ++x) {
            differing += fine.pixel(x, y) != fine.pixel(x, y + 1) ? 1 : 0;
            ASSERT_EQ(scaled.pixel(x, y), scaled.pixel(x, y + 1));
        }
    }
    EXPECT_GT(differing, 1000);
}

TEST_F(ChartFiles, TheWholePictureIsPaintedInTheTheme) {
    for (const bool dark : {false, true}) {
        settings.dark = dark;
        ASSERT_TRUE(exportChart(ChartId::memory, *run, settings, options, path("a.png")));
        const QImage image(path("a.png"));
        for (const QPoint corner : {QPoint(0, 0), QPoint(image.width() - 1, image.height() - 1)}) {
            EXPECT_EQ(image.pixelColor(corner), colorsFor(dark).plot);
        }
        int activations = 0;
        for (int x = 0; x < image.width(); ++x) {
            for (int y = 0; y < image.height(); ++y) {
                activations += image.pixelColor(x, y) == colorsFor(dark).series[3].fill ? 1 : 0;
            }
        }
        EXPECT_GT(activations, image.width() * image.height() / 20);
    }
}

TEST_F(ChartFiles, AnSvgHasAViewBoxAndItsTextAsText) {
    options.format = QStringLiteral("svg");
    options.size = {800, 360};
    settings.memory_budget = 24 << 20;
    ASSERT_TRUE(exportChart(ChartId::memory, *run, settings, options, path("a.svg")));
    const QByteArray svg = content(path("a.svg"));
    EXPECT_TRUE(svg.contains("viewBox=\"0 0 800 360\""));
    EXPECT_TRUE(svg.contains("budget 24"));
    EXPECT_TRUE(svg.contains("micro_batch 32"));
    EXPECT_LT(svg.size(), 1'000'000);
}

TEST_F(ChartFiles, ACaptionSaysWhatRanAndLeavesThePictureItsSize) {
    RunDescription run_description;
    run_description.configuration = {{"model", "bn-cnn"},   {"dataset", "cifar10"},
                                     {"micro_batch", "32"}, {"accumulation", "4"},
                                     {"optimizer", "sgd"},  {"learning_rate", "0.1"},
                                     {"seed", "7"},         {"device", "cpu"}};
    const QString caption = captionOf(run_description);
    EXPECT_EQ(caption.toStdString(),
              "bn-cnn on cifar10, micro-batch 32 x 4, sgd at 0.1, seed 7, cpu");
    options.size = {800, 360};
    options.format = QStringLiteral("svg");
    ASSERT_TRUE(exportChart(ChartId::loss, *run, settings, options, path("a.svg"), caption));
    EXPECT_TRUE(content(path("a.svg")).contains("bn-cnn on cifar10, micro-batch 32 x 4"));
    EXPECT_TRUE(content(path("a.svg")).contains("viewBox=\"0 0 800 360\""));
    // In a narrow picture it is elided, never drawn beside it.
    options.size = PictureLimits::smallest;
    ASSERT_TRUE(exportChart(ChartId::loss, *run, settings, options, path("b.svg"), caption));
    EXPECT_FALSE(content(path("b.svg")).contains("seed 7"));
}

TEST_F(ChartFiles, APdfIsAPdf) {
    options.format = QStringLiteral("pdf");
    ASSERT_TRUE(exportChart(ChartId::throughput, *run, settings, options, path("a.pdf")));
    EXPECT_TRUE(content(path("a.pdf")).startsWith("%PDF"));
}

TEST_F(ChartFiles, EveryChartCanBeExportedAlsoOfAnEmptyRun) {
    const Telemetry empty;
    for (const ChartInfo& info : chartTable()) {
        for (const Telemetry* telemetry : {static_cast<const Telemetry*>(run.get()), &empty}) {
            EXPECT_TRUE(exportChart(info.id, *telemetry, settings, options, path("a.png")));
            EXPECT_EQ(QImage(path("a.png")).size(), options.size);
        }
    }
}

TEST_F(ChartFiles, TheDefaultSetGoesIntoAFolderThatIsMade) {
    const ExportResult result = exportCharts(*run, settings, options, path("new/charts"));
    ASSERT_TRUE(result.errors.empty()) << result.errorText().toStdString();
    EXPECT_EQ(result.files,
              (QStringList{path("new/charts/loss.png"), path("new/charts/throughput.png"),
                           path("new/charts/memory.png")}));
    for (const QString& file : result.files) {
        EXPECT_FALSE(QImage(file).isNull());
    }
}

TEST_F(ChartFiles, TheXRangeIsThatOfTheSettings) {
    options.format = QStringLiteral("svg");
    settings.x_range = std::pair{1000.0, 2000.0};
    ASSERT_TRUE(exportChart(ChartId::loss, *run, settings, options, path("a.svg")));
    const QByteArray svg = content(path("a.svg"));
    EXPECT_TRUE(svg.contains(">1500</text>"));
    EXPECT_FALSE(svg.contains(">50k<"));
}

// No file may grow beyond `bytes` while this lives: as a full disk, but for the reason.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t bytes) {
        std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &usual_);
        const rlimit small = {.rlim_cur = bytes, .rlim_max = usual_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
    }
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &usual_);
        std::signal(SIGXFSZ, SIG_DFL);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

  private:
    rlimit usual_{};
};

TEST_F(ChartFiles, WhatCannotBeWrittenWholeSaysWhyAndLeavesTheOldFile) {
    for (const PictureFormat& format : pictureFormats()) {
        options.format = QString::fromLatin1(format.name);
        const QString file = path("loss.") + options.format;
        QFile old(file);
        ASSERT_TRUE(old.open(QIODevice::WriteOnly) && old.write("old") == 3);
        old.close();
        Result<void> written;
        {
            const FileSizeLimit limit(1000);
            written = exportChart(ChartId::loss, *run, settings, options, file);
        }
        ASSERT_FALSE(written) << format.name;
        EXPECT_EQ(written.error().message,
                  "Cannot write '" + file.toStdString() + "': File too large.");
        EXPECT_EQ(content(file), "old");
    }
    EXPECT_EQ(QDir(folder.path()).entryList(QDir::Files).size(), 3) << "something half was left";
}

TEST_F(ChartFiles, ALinkInTheWayIsReplacedAndNotWrittenThrough) {
    std::filesystem::create_symlink("/dev/full", path("loss.png").toStdString());
    ASSERT_TRUE(exportChart(ChartId::loss, *run, settings, options, path("loss.png")));
    EXPECT_FALSE(QFileInfo(path("loss.png")).isSymLink());
    EXPECT_FALSE(QImage(path("loss.png")).isNull());
}

TEST_F(ChartFiles, ErrorsNameTheFieldOrTheFile) {
    const auto message = [&] {
        const auto result = exportChart(ChartId::loss, *run, settings, options, path("a.png"));
        return result ? std::string("no error") : result.error().message;
    };
    options.format = QStringLiteral("bmp");
    EXPECT_THAT(message(), HasSubstr("format"));
    options.format = QStringLiteral("png");
    options.dpi = 0;
    EXPECT_THAT(message(), HasSubstr("dpi"));
    options.dpi = 1200;
    options.size = {5000, 5000};
    EXPECT_THAT(message(), HasSubstr("size"));
    options = {};
    settings.smoothing = 1;
    EXPECT_THAT(message(), HasSubstr("smoothing"));
    settings = {};
    settings.x_range = std::pair{2.0, 1.0};
    EXPECT_THAT(message(), HasSubstr("x range"));
    settings = {};
    const auto result =
        exportChart(ChartId::loss, *run, settings, options, path("missing/folder/a.png"));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::io);
    EXPECT_THAT(result.error().message, HasSubstr("missing/folder/a.png"));
}

}  // namespace
}  // namespace trainscope::ui
