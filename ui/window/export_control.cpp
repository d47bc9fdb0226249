// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/export_control.h"

#include <QDir>
#include <QMetaObject>
#include <QStandardPaths>
#include <utility>

#include "ui/panels/export_dialog.h"
#include "ui/panels/export_job.h"
#include "ui/session/guarded.h"

namespace trainscope::ui {

ExportControl::ExportControl(QWidget* window, QSettings& settings, MessageBar* messages)
    : QObject(window),
      window_(window),
      settings_(settings),
      messages_(messages),
      worker_([this](const std::string& error) {
          QMetaObject::invokeMethod(
              this, [this, error] { tell({}, {}, QString::fromStdString(error)); },
              Qt::QueuedConnection);
      }) {}

void ExportControl::ask(const RecordedRun& run, const ChartSettings& look) {
    ExportChoice last = loadExportChoice(settings_);
    if (last.folder.isEmpty()) {
        const QDir documents(QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation));
        last.folder = documents.filePath(QStringLiteral("trainscope"));
    }
    auto* dialog = new ExportDialog(last, window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, run, look] {
        const ExportChoice choice = dialog->choice();
        saveExportChoice(settings_, choice);
        write(choice, run, look);
    });
    dialog->open();
}

void ExportControl::write(const ExportChoice& choice, const RecordedRun& run,
                          const ChartSettings& look) {
    ++running_;
    Q_EMIT started(choice.folder);
    QStringList files;
    if (!choice.charts.empty()) {
        const auto charts = guarded("wrote the charts",
                                    [&] { return exportChartFiles(choice, *run.telemetry, look); });
        if (!charts) {
            tell(choice.folder, files, QString::fromStdString(charts.error().message));
            return;
        }
        files = *charts;
    }
    worker_.post([this, choice, run, files]() mutable {
        QString error;
        if (!choice.logs.isEmpty()) {
            const auto logs = guarded("wrote the logs", [&] {
                return exportLogs(choice, *run.telemetry, run.description);
            });
            if (logs) {
                files += *logs;
            } else {
                error = QString::fromStdString(logs.error().message);
            }
        }
        QMetaObject::invokeMethod(
            this, [this, folder = choice.folder, files, error] { tell(folder, files, error); },
            Qt::QueuedConnection);
    });
}

void ExportControl::tell(const QString& folder, const QStringList& files, const QString& error) {
    --running_;
    if (!error.isEmpty()) {
        messages_->showError(error);
    } else {
        const QString where = QDir::toNativeSeparators(folder);
        messages_->showNotice(files.size() == 1
                                  ? tr("Exported one file to %1.").arg(where)
                                  : tr("Exported %1 files to %2.").arg(files.size()).arg(where));
    }
    if (running_ == 0) {
        Q_EMIT ended();
    }
}

}  // namespace trainscope::ui
