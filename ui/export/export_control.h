// SPDX-License-Identifier: GPL-3.0-or-later
// From "Export..." to files: asks, draws the charts, has a worker write the logs, and says what
// came of it. The training goes on meanwhile.
#pragma once

#include <QObject>
#include <QSettings>
#include <stop_token>

#include "ui/export/chart_export.h"
#include "ui/export/export_choice.h"
#include "ui/session/training_session.h"
#include "ui/session/worker.h"
#include "ui/widgets/message_bar.h"

namespace trainscope::ui {

class ExportControl : public QObject {
    Q_OBJECT

  public:
    // All of them outlive it.
    ExportControl(QWidget* window, QSettings& settings, MessageBar* messages);

    void ask(const RecordedRun& run, const ChartSettings& look);
    // Without asking.
    void write(const ExportChoice& choice, const RecordedRun& run, const ChartSettings& look);
    bool busy() const { return running_ > 0; }
    // Ends what is being written; files that were finished stay.
    void cancel() { stop_.request_stop(); }

  Q_SIGNALS:
    void started(const QString& folder);
    void ended();  // nothing is being written any more

  private:
    void tell(const QString& folder, const ExportResult& result);

    QWidget* window_;
    QSettings& settings_;
    MessageBar* messages_;
    int running_ = 0;
    std::stop_source stop_;  // of all that run
    Worker worker_;          // last: its jobs report to this object
};

}  // namespace trainscope::ui
