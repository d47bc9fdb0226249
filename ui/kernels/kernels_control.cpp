// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kernels/kernels_control.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QStandardPaths>

#include "ui/export/export_choice.h"
#include "ui/kernels/bench_export.h"
#include "ui/kernels/bench_text.h"

namespace trainscope::ui {

KernelsControl::KernelsControl(KernelsPanel* panel, const QSettings& settings,
                               std::function<BenchContext()> context)
    : QObject(panel),
      panel_(panel),
      settings_(settings),
      context_(std::move(context)),
      session_(new BenchSession(this)) {
    connect(panel_, &KernelsPanel::runRequested, this, [this] { start(); });
    connect(panel_, &KernelsPanel::cancelRequested, this, [this] { cancel(); });
    connect(panel_, &KernelsPanel::tableExportRequested, this, [this] { askForTable(); });
    connect(panel_, &KernelsPanel::pictureExportRequested, this,
            [this](BenchPicture picture) { askForPicture(picture); });
    connect(session_, &BenchSession::progressed, panel_, &KernelsPanel::showProgress);
    connect(session_, &BenchSession::found, panel_, &KernelsPanel::setReport);
    connect(session_, &BenchSession::ended, this, [this](const BenchReport& report) {
        show(report);
        Q_EMIT ended();
    });
}

KernelsControl::~KernelsControl() {
    delete session_;  // before what its signals lead to
}

QString KernelsControl::whyBusy(const DeviceInfo& device) const {
    return busy() && session_->device().id == device.id
               ? tr("The kernel bench runs on %1: wait for it or cancel it, so that neither "
                    "slows the other.")
                     .arg(QString::fromStdString(device.id))
               : QString();
}

Result<BenchOptions> KernelsControl::options(const BenchContext& context) const {
    BenchOptions options;
    options.device = deviceOf(context.run);
    if (context.trainingOn == options.device.id) {
        return make_error(ErrorCode::unsupported, "{}",
                          tr("A training runs on %1: stop it first, so that neither slows the "
                             "other.")
                              .arg(QString::fromStdString(options.device.id))
                              .toStdString());
    }
    options.threads = context.run.threads;
    options.seed = context.run.seed;
    options.seconds = panel_->seconds();
    if (!panel_->modelChosen()) {
        Result<BenchItem> item = panel_->item();
        if (!item) {
            return make_error(item.error().code, "{}",
                              tr("The shape cannot be read: %1.")
                                  .arg(QString::fromStdString(item.error().message))
                                  .toStdString());
        }
        options.items = {std::move(*item)};
    } else if (context.graph == nullptr) {
        return make_error(ErrorCode::not_found, "{}",
                          tr("The layers of the model are known once its data set is: choose its "
                             "folder first.")
                              .toStdString());
    } else {
        options.items =
            bench_items(*context.graph, context.run.micro_batch, context.run.optimizer.kind);
    }
    return options;
}

void KernelsControl::start() {
    Result<BenchOptions> chosen = options(context_());
    if (!chosen) {
        panel_->showSentence(QString::fromStdString(chosen.error().message), true);
        return;
    }
    panel_->showSentence({}, false);
    panel_->setRunning(true);
    session_->start(std::move(*chosen));
}

void KernelsControl::show(const BenchReport& report) {
    panel_->setRunning(false);
    panel_->setReport(report);
    if (report.ended_by && report.ended_by->code == ErrorCode::cancelled) {
        panel_->showSentence(tr("Cancelled. What was measured before is shown."), false);
    } else if (report.ended_by) {
        panel_->showSentence(QString::fromStdString(report.ended_by->message), true);
    } else if (report.device.kind == DeviceKind::emulated) {
        panel_->showSentence(emulationText(), false);
    }
}

void KernelsControl::tell(const Result<void>& written, const QString& file) {
    if (written) {
        panel_->showSentence(tr("Wrote %1.").arg(QDir::toNativeSeparators(file)), false);
    } else {
        panel_->showSentence(QString::fromStdString(written.error().message), true);
    }
}

void KernelsControl::writeTable(const QString& file) {
    tell(exportBenchTable(panel_->report(), file), file);
}

void KernelsControl::writePicture(BenchPicture picture, const QString& file) {
    const bool dark = colorsFor(panel_->palette()).dark;
    tell(exportBenchPicture(panel_->report(), panel_->shownItem(), picture, dark,
                            loadExportChoice(settings_).picture.size, file),
         file);
}

void KernelsControl::askForTable() {
    askForFile(tr("Write the table to"), tr("CSV files (*.csv)"), QStringLiteral("kernels.csv"),
               [this](const QString& file) { writeTable(file); });
}

void KernelsControl::askForPicture(BenchPicture picture) {
    askForFile(tr("Write the picture to"), tr("Pictures (*.png *.svg *.pdf)"),
               picture == BenchPicture::times ? QStringLiteral("kernel-times.png")
                                              : QStringLiteral("roofline.png"),
               [this, picture](const QString& file) { writePicture(picture, file); });
}

void KernelsControl::askForFile(const QString& title, const QString& filter, const QString& name,
                                const std::function<void(const QString&)>& write) {
    auto* dialog = new QFileDialog(panel_, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDirectory(QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation));
    dialog->setDirectory(QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation));
    dialog->setNameFilter(filter);
    dialog->setDefaultSuffix(QFileInfo(name).suffix());
    dialog->selectFile(name);
    connect(dialog, &QFileDialog::fileSelected, this, write);
    dialog->open();
}

}  // namespace trainscope::ui
