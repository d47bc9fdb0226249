// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/say.h"

#include <cerrno>
#include <system_error>

#include "app/command_line/arguments.h"

namespace trainscope::command_line {

namespace {

int failure = 0;  // errno of the first text that stdout did not take

void note(bool written, const std::FILE* to) {
    if (!written && to == stdout && failure == 0) {
        failure = errno;
    }
}

}  // namespace

void say_text(std::FILE* to, std::string_view text) {
    note(std::fwrite(text.data(), 1, text.size(), to) == text.size(), to);
}

void flush_output() {
    note(std::fflush(stdout) == 0, stdout);
}

int say_failure(const Error& error) {
    say_error("{}", error.message);
    return exit_error;
}

int finish_output(int exit_code) {
    flush_output();
    if (failure == 0 || failure == EPIPE || exit_code != exit_ok) {
        return exit_code;
    }
    say_text(stderr, fmt::format("trainscope: cannot write to standard output: {}.\n",
                                 std::generic_category().message(failure)));
    return exit_error;
}

}  // namespace trainscope::command_line
