// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/interruption.h"

#include <poll.h>

#include "app/interrupt.h"

namespace trainscope::command_line {

Interruption::Interruption()
    : file_(catch_interrupts()), watcher_([this](const std::stop_token& end) {
          constexpr std::chrono::milliseconds between_looks{200};  // at whether it is over
          while (!end.stop_requested()) {
              if (asked(between_looks)) {
                  stop_.request_stop();
                  return;
              }
          }
      }) {}

bool Interruption::asked(std::chrono::milliseconds wait) const {
    pollfd wish = {.fd = file_, .events = POLLIN, .revents = 0};
    return poll(&wish, 1, static_cast<int>(wait.count())) > 0 && (wish.revents & POLLIN) != 0;
}

}  // namespace trainscope::command_line
