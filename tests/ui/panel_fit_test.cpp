// SPDX-License-Identifier: GPL-3.0-or-later
// Nothing that a panel shows is cut off in a dock of 300 pixels at 10 points, light or dark. With
// TRAINSCOPE_PICTURES=<folder> the pictures are kept, to be looked at.
#include <gmock/gmock.h>

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QToolButton>
#include <QWidget>

#include "engine/model/graph.h"
#include "ui/export/export_dialog.h"
#include "ui/knobs/knobs_panel.h"
#include "ui/panels/log_panel.h"
#include "ui/panels/run_progress.h"
#include "ui/panels/setup_panel.h"
#include "ui/panels/summary_dialog.h"
#include "ui/theme/palette.h"
#include "ui/widgets/message_bar.h"

namespace trainscope::ui {
namespace {

constexpr int dockWidth = 300;

std::shared_ptr<const Graph> makeGraph(const std::string& model) {
    return std::make_shared<const Graph>(
        build_graph(*find_model(model), Shape{3, 32, 32}, 10).value());
}

void keepPicture(QWidget& widget, const QString& name) {
    const QString folder = qEnvironmentVariable("TRAINSCOPE_PICTURES");
    if (folder.isEmpty()) {
        return;
    }
    for (const int scale : {1, 2}) {
        QImage image(widget.size() * scale, QImage::Format_RGB32);
        image.setDevicePixelRatio(scale);
        widget.render(&image);
        image.save(
            QDir(folder).filePath(QStringLiteral("%1_%2x.png").arg(name, QString::number(scale))));
    }
}

// The names of those whose text has less room than it needs.
QStringList cutOff(const QWidget& panel) {
    QStringList cut;
    for (const QWidget* child : panel.findChildren<QWidget*>()) {
        if (!child->isVisibleTo(&panel)) {
            continue;
        }
        const auto* label = qobject_cast<const QLabel*>(child);
        const auto* combo = qobject_cast<const QComboBox*>(child);
        const auto* spin = qobject_cast<const QAbstractSpinBox*>(child);
        int width = 0;
        if (label != nullptr && !label->wordWrap()) {
            width = label->sizeHint().width();
        } else if (qobject_cast<const QAbstractButton*>(child) != nullptr) {
            width = child->minimumSizeHint().width();
        } else if (combo != nullptr) {
            // Frame and arrow take about two heights of text.
            width = combo->fontMetrics().horizontalAdvance(combo->currentText()) +
                    combo->fontMetrics().height() * 2;
        } else if (spin != nullptr) {
            width = spin->fontMetrics().horizontalAdvance(spin->text()) +
                    spin->fontMetrics().height() * 2;
        }
        const bool high = label == nullptr || !label->wordWrap() ||
                          label->height() >= label->heightForWidth(label->width());
        if (child->width() < width || !high) {
            cut << QStringLiteral("%1 \"%2\": %3 of %4 px")
                       .arg(child->objectName(), label != nullptr ? label->text() : QString())
                       .arg(child->width())
                       .arg(width);
        }
    }
    return cut;
}

class PanelFit : public ::testing::TestWithParam<bool> {
  protected:
    void SetUp() override {
        QApplication::setFont(QFont(QStringLiteral("DejaVu Sans"), 10));
        QApplication::setPalette(applicationPalette(colorsFor(GetParam())));
    }
    void TearDown() override {
        QApplication::setFont(font_);
        QApplication::setPalette(palette_);
    }
    // As a dock of this size would show it.
    void check(QWidget& widget, const char* name, QSize size) {
        widget.resize(size);
        widget.show();
        QApplication::processEvents();
        EXPECT_LE(widget.minimumSizeHint().width(), size.width()) << name;
        EXPECT_THAT(cutOff(widget).join(QLatin1Char('\n')).toStdString(), ::testing::IsEmpty());
        keepPicture(widget, QLatin1String(name) +
                                (GetParam() ? QStringLiteral("_dark") : QStringLiteral("_light")));
    }

  private:
    QFont font_ = QApplication::font();
    QPalette palette_ = QApplication::palette();
};

INSTANTIATE_TEST_SUITE_P(Panels, PanelFit, ::testing::Bool(), [](const auto& parameter) {
    return std::string(parameter.param ? "Dark" : "Light");
});

TEST_P(PanelFit, EveryKindOfDataSetFitsTheSetup) {
    SetupPanel panel;
    for (const DatasetKind& kind : dataset_kinds()) {
        RunSettings run;
        run.dataset.name = kind.name;
        run.dataset.folder = kind.needs_folder ? "/home/somebody/data" : "";
        panel.setRun(run);
        panel.setLocked(kind.name == "random");
        check(panel, ("setup_" + kind.name).c_str(), {dockWidth, 900});
    }
}

TEST_P(PanelFit, KnobsFitWithEveryLineThatTheyCanShow) {
    KnobsPanel panel;
    RunSettings run;
    run.micro_batch = 1024;
    run.accumulation = 16;
    run.optimizer.kind = OptimizerKind::adamw;
    run.memory_budget = 16 << 20;
    panel.setRun(run);
    panel.setGraph(makeGraph("bn-cnn"), false, 1);
    check(panel, "knobs_next_start", {dockWidth, 900});

    panel.setRunning(true);
    TrainerStatus status;
    status.micro_batch = 1024;
    status.accumulation = 16;
    status.optimizer = run.optimizer;
    status.memory_budget = run.memory_budget;
    status.memory[MemoryCategory::activations] = 12'345'678;
    status.variants_used = {{"conv2d", "im2col_gemm"}, {"conv_relu_pool", "fused_direct"}};
    panel.setStatus(status);
    panel.showAnswer(QStringLiteral("micro_batch"), false,
                     QStringLiteral("A micro-batch of 4,096 needs 104.3 MiB, which is over the "
                                    "budget of 16.0 MiB."));
    panel.findChild<QToolButton*>(QStringLiteral("accumulationDouble"))->click();  // and waits
    check(panel, "knobs_running", {dockWidth, 900});
}

TEST_P(PanelFit, TheLogFitsTheBottomDock) {
    auto telemetry = std::make_shared<Telemetry>();
    LogPanel panel;
    check(panel, "log_empty", {900, 200});
    for (int i = 1; i <= 20; ++i) {
        Annotation turned;
        turned.step = i * 313.0;
        turned.samples = i * 10'016.0;
        turned.active_seconds = i * 61.0;
        turned.what = i % 3 == 0 ? "conv2d variant" : "micro_batch";
        turned.from = i % 3 == 0 ? "im2col_gemm" : "32";
        turned.to = i % 3 == 0 ? "direct" : "64";
        turned.refused = i % 5 == 0;
        turned.reason = turned.refused ? "It needs 24.3 MiB; the budget is 16.0 MiB." : "";
        telemetry->append(turned);
        telemetry->append(EvaluationSample{.step = i * 313.0,
                                           .samples = i * 10'016.0,
                                           .active_seconds = i * 61.0,
                                           .loss = 1.0 / i,
                                           .accuracy = 1.0 - 0.5 / i});
    }
    panel.setTelemetry(telemetry);
    check(panel, "log", {900, 200});
}

TEST_P(PanelFit, MessagesWrapInANarrowWindow) {
    MessageBar bar;
    bar.showError(
        QStringLiteral("/home/somebody/data/train-images-idx3-ubyte.gz: expected "
                       "7,840,016 bytes of pixels after the header, found 1,024.\n"
                       "The file may have been cut off while it was copied."));
    bar.showNotice(QStringLiteral("Exported 5 files."));
    check(bar, "message_error", {640, bar.heightForWidth(640)});
}

TEST_P(PanelFit, ProgressFitsTheToolbar) {
    RunProgress progress;
    TrainerStatus status;
    status.state = TrainerState::running;
    status.epochs = 15;
    status.epoch = 3;
    status.epoch_samples = 10'000;
    status.epoch_offset = 4'321;
    progress.setStatus(status);
    status.samples = 8'000;
    status.active_seconds = 1;
    progress.setStatus(status);
    check(progress, "progress", {progress.sizeHint().width(), progress.sizeHint().height()});
}

TEST_P(PanelFit, DialogsFitTheirContent) {
    SummaryDialog summary(*makeGraph("vgg-small"));
    check(summary, "summary", summary.size());
    ExportChoice choice;
    choice.folder = QStringLiteral("/home/somebody/results");
    ExportDialog dialog(choice);
    check(dialog, "export", dialog.sizeHint());
}

}  // namespace
}  // namespace trainscope::ui
