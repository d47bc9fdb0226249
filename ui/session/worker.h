// SPDX-License-Identifier: GPL-3.0-or-later
// One thread that does what would hold up the window, one job after the other.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace trainscope::ui {

class Worker {
  public:
    using Job = std::function<void()>;

    // `failed` is told on the worker's thread of a job that ended in an exception: one sentence.
    // The next job is done all the same.
    using Failed = std::function<void(const std::string& error)>;
    explicit Worker(Failed failed);
    ~Worker();  // does what was posted, then joins
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // What the job holds is destroyed on the worker's thread.
    void post(Job job);

  private:
    void run(const std::stop_token& stop);
    void perform(const Job& job) noexcept;

    Failed failed_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Job> jobs_;
    std::jthread thread_;  // last, so that it starts with the rest in place
};

}  // namespace trainscope::ui
