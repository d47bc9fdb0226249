// SPDX-License-Identifier: GPL-3.0-or-later
// One thread that does what would hold up the window, one job after the other.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace trainscope::ui {

class Worker {
  public:
    using Job = std::function<void()>;

    Worker();
    ~Worker();  // does what was posted, then joins
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // What the job holds is destroyed on the worker's thread.
    void post(Job job);

  private:
    void run(const std::stop_token& stop);

    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Job> jobs_;
    std::jthread thread_;  // last, so that it starts with the rest in place
};

}  // namespace trainscope::ui
