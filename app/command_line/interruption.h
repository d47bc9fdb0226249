// SPDX-License-Identifier: GPL-3.0-or-later
// A person's wish to end, by Ctrl-C, SIGTERM or SIGHUP, while a command runs.
#pragma once

#include <chrono>
#include <stop_token>
#include <thread>

namespace trainscope::command_line {

// From when it is made.
class Interruption {
  public:
    Interruption();
    bool asked(std::chrono::milliseconds wait = {}) const;
    // Requested once the wish is there.
    std::stop_token token() const { return stop_.get_token(); }

  private:
    int file_;  // -1: no wish can come
    std::stop_source stop_;
    std::jthread watcher_;  // last: it ends before what it looks at
};

}  // namespace trainscope::command_line
