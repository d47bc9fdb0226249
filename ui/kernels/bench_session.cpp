// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kernels/bench_session.h"

#include <QMetaObject>
#include <chrono>

#include "ui/session/guarded.h"

namespace trainscope::ui {

namespace {

constexpr std::chrono::milliseconds betweenProgress{50};

}  // namespace

BenchSession::BenchSession(QObject* parent)
    : QObject(parent), worker_(std::make_unique<Worker>([](const std::string&) {})) {}

BenchSession::~BenchSession() {
    stop_.request_stop();
    worker_.reset();  // its job posts to this object
}

void BenchSession::start(BenchOptions options) {
    if (busy_) {
        return;
    }
    busy_ = true;
    stop_ = std::stop_source();
    device_ = options.device;
    const int threads = options.threads > 0 ? options.threads : device_.threads;
    if (const auto known = ceilings_.find({device_.id, threads}); known != ceilings_.end()) {
        options.ceilings = known->second;
    }
    options.stop = stop_.get_token();
    options.progress = [this, told = std::chrono::steady_clock::time_point()](
                           const BenchProgress& progress) mutable {
        const auto now = std::chrono::steady_clock::now();
        if (now - told >= betweenProgress) {
            told = now;
            QMetaObject::invokeMethod(
                this,
                [this, share = progress.share, doing = QString::fromStdString(progress.doing)] {
                    Q_EMIT progressed(share, doing);
                },
                Qt::QueuedConnection);
        }
    };
    options.found = [this](const BenchReport& report) {
        QMetaObject::invokeMethod(
            this, [this, report] { Q_EMIT found(report); }, Qt::QueuedConnection);
    };
    worker_->post([this, options = std::move(options)] {
        Result<BenchReport> report = guarded(
            "benched kernels", [&]() -> Result<BenchReport> { return run_kernel_bench(options); });
        if (!report) {
            BenchReport failed;
            failed.device = options.device;
            failed.ended_by = report.error();
            report = std::move(failed);
        }
        QMetaObject::invokeMethod(
            this, [this, report = std::move(*report)] { take(report); }, Qt::QueuedConnection);
    });
}

void BenchSession::take(const BenchReport& report) {
    busy_ = false;
    if (report.ceilings && !report.ended_by) {
        ceilings_[{report.device.id, report.threads}] = *report.ceilings;
    }
    Q_EMIT ended(report);
}

}  // namespace trainscope::ui
