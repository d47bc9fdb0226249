// SPDX-License-Identifier: GPL-3.0-or-later
// From the page of the kernel bench to a bench and back: starts it on the device that is chosen,
// unless a training runs there, shows what it finds, and exports it.
#pragma once

#include <QObject>
#include <QSettings>
#include <functional>
#include <memory>
#include <string>

#include "engine/model/graph.h"
#include "ui/kernels/bench_session.h"
#include "ui/kernels/kernels_panel.h"
#include "ui/run_settings.h"

namespace trainscope::ui {

// What a bench depends on besides its page.
struct BenchContext {
    RunSettings run;                     // device, threads, seed, micro-batch, optimizer
    std::shared_ptr<const Graph> graph;  // of the model; nullptr: not known yet
    std::string trainingOn;              // the id of a device with a training on it; empty: none
};

class KernelsControl : public QObject {
    Q_OBJECT

  public:
    // `context` is asked when a bench is to start. All of them outlive it.
    KernelsControl(KernelsPanel* panel, const QSettings& settings,
                   std::function<BenchContext()> context);
    ~KernelsControl() override;

    bool busy() const { return session_->busy(); }
    // Why no training may start on that device now; empty where it may.
    QString whyBusy(const DeviceInfo& device) const;
    void cancel() { session_->cancel(); }

    // Without asking where to.
    void writeTable(const QString& file);
    void writePicture(BenchPicture picture, const QString& file);

  Q_SIGNALS:
    void ended();  // no bench runs any more

  private:
    void start();
    Result<BenchOptions> options(const BenchContext& context) const;
    void show(const BenchReport& report);
    void tell(const Result<void>& written, const QString& file);
    void askForTable();
    void askForPicture(BenchPicture picture);
    // Waits for no answer; `write` gets the file, with the suffix of `name` if it was typed
    // without.
    void askForFile(const QString& title, const QString& filter, const QString& name,
                    const std::function<void(const QString&)>& write);

    KernelsPanel* panel_;
    const QSettings& settings_;
    std::function<BenchContext()> context_;
    BenchSession* session_;
};

}  // namespace trainscope::ui
