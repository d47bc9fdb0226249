// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/export_control.h"

#include <QDir>
#include <QMetaObject>
#include <QStandardPaths>
#include <memory>
#include <utility>

#include "ui/export/export_dialog.h"
#include "ui/export/export_job.h"
#include "ui/session/guarded.h"

namespace trainscope::ui {

namespace {

// What `work` exports when it is wanted; an exception is an error like others.
template <class Work>
ExportResult attempt(std::string_view did, bool wanted, const Work& work) {
    if (!wanted) {
        return {};
    }
    Result<ExportResult> done = guarded(did, [&]() -> Result<ExportResult> { return work(); });
    return done ? std::move(*done) : ExportResult::failure(std::move(done.error()));
}

}  // namespace

ExportControl::ExportControl(QWidget* window, QSettings& settings, MessageBar* messages)
    : QObject(window),
      window_(window),
      settings_(settings),
      messages_(messages),
      worker_([this](const std::string& error) {
          QMetaObject::invokeMethod(
              this,
              [this, error] {
                  tell({}, ExportResult::failure({ErrorCode::io, error}));
              },
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
    if (running_++ == 0) {
        stop_ = std::stop_source();
    }
    Q_EMIT started(choice.folder);
    // Charts are drawn here, which fonts and styles ask for, while the logs are written: neither
    // waits for the other, and what goes wrong with the one does not cost the other.
    const auto charts = std::make_shared<ExportResult>();
    worker_.post([this, choice, run, stop = stop_.get_token(), charts] {
        ExportResult logs = attempt("wrote the logs", !choice.logs.isEmpty(), [&] {
            return exportLogs(choice, *run.telemetry, run.description, stop);
        });
        // The event loop comes to it when the charts are drawn.
        QMetaObject::invokeMethod(
            this,
            [this, folder = choice.folder, result = std::move(logs), charts]() mutable {
                result.add(*charts);
                tell(folder, result);
            },
            Qt::QueuedConnection);
    });
    *charts = attempt("wrote the charts", !choice.charts.empty(), [&] {
        return exportChartFiles(choice, *run.telemetry, run.description, look);
    });
}

void ExportControl::tell(const QString& folder, const ExportResult& result) {
    --running_;
    const QString where = QDir::toNativeSeparators(folder);
    const qsizetype files = result.files.size();
    if (result.cancelled()) {
        messages_->showNotice(
            tr("The export was cancelled. Files written before: %1, in %2.").arg(files).arg(where),
            folder);
    } else if (!result.errors.empty()) {
        messages_->showError(result.errorText());
    } else {
        messages_->showNotice(files == 1 ? tr("Exported one file to %1.").arg(where)
                                         : tr("Exported %1 files to %2.").arg(files).arg(where),
                              folder);
    }
    if (running_ == 0) {
        Q_EMIT ended();
    }
}

}  // namespace trainscope::ui
