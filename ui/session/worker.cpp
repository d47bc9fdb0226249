// SPDX-License-Identifier: GPL-3.0-or-later
// One thread that does what would hold up the window.
#include "ui/session/worker.h"

#include <exception>
#include <utility>

#include "ui/session/guarded.h"

namespace trainscope::ui {

Worker::Worker(Failed failed)
    : failed_(std::move(failed)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

Worker::~Worker() = default;  // the jthread asks to stop and joins before the queue goes

void Worker::post(Job job) {
    {
        const std::scoped_lock lock(mutex_);
        jobs_.push_back(std::move(job));
    }
    changed_.notify_one();
}

void Worker::run(const std::stop_token& stop) {
    for (;;) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, stop, [this] { return !jobs_.empty(); });
            if (jobs_.empty()) {
                return;  // asked to stop, and all is done
            }
            job = std::move(jobs_.front());
            jobs_.pop_front();
        }
        perform(job);
    }
}

void Worker::perform(const Job& job) noexcept {
    try {
        const Result<void> done = guarded("worked beside the window", [&]() -> Result<void> {
            job();
            return {};
        });
        if (!done) {
            failed_(done.error().message);
        }
    } catch (const std::exception&) {
        // No memory even to say so.
    }
}

}  // namespace trainscope::ui
