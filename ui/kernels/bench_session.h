// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel bench behind the window: it runs on a thread of its own, and nothing here waits.
#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <utility>

#include "engine/tune/kernel_bench.h"
#include "ui/session/worker.h"

namespace trainscope::ui {

class BenchSession : public QObject {
    Q_OBJECT

  public:
    explicit BenchSession(QObject* parent = nullptr);
    ~BenchSession() override;  // cancels and waits

    // Does nothing while one runs. The options' stop, progress, found and ceilings are set here.
    void start(BenchOptions options);
    void cancel() { stop_.request_stop(); }

    bool busy() const { return busy_; }
    // Of the bench that runs, or ran last.
    const DeviceInfo& device() const { return device_; }

  Q_SIGNALS:
    void progressed(double share, const QString& doing);
    void found(const trainscope::BenchReport& report);  // so far
    void ended(const trainscope::BenchReport& report);

  private:
    void take(const BenchReport& report);

    bool busy_ = false;
    DeviceInfo device_;
    std::stop_source stop_;
    // What each device does at best, by its id and threads: it is measured once.
    std::map<std::pair<std::string, int>, BenchCeilings> ceilings_;
    std::unique_ptr<Worker> worker_;
};

}  // namespace trainscope::ui
