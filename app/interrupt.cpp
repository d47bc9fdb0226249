// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/interrupt.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace trainscope {

namespace {

int write_end = -1;

extern "C" void note_interrupt(int /*signal*/) {
    const int kept = errno;
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);  // SIGHUP stays caught: a terminal that goes sends it twice
    [[maybe_unused]] const ssize_t written = write(write_end, "x", 1);
    errno = kept;
}

}  // namespace

int catch_interrupts() {
    std::array<int, 2> ends = {-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
        return -1;
    }
    write_end = ends[1];
    struct sigaction action = {};
    action.sa_handler = note_interrupt;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        sigaddset(&action.sa_mask, signal);
    }
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction before = {};
    if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {  // nohup
        sigaction(SIGHUP, &action, nullptr);
    }
    return ends[0];
}

}  // namespace trainscope
