// SPDX-License-Identifier: GPL-3.0-or-later
// Prints that a training survives: a reader that went away (`| head -1`) or a full disk behind
// stdout costs the text, never the run. What was lost is told at the end, by finish_output().
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "engine/core/printable.h"
#include "engine/core/result.h"

namespace trainscope::command_line {

// Unlike fmt::print, which throws where the stream does not take the text.
void say_text(std::FILE* to, std::string_view text);
void flush_output();

// The last that is done with stdout. The exit code, or exit_error, said on stderr, where that would
// be exit_ok though text was lost; a reader that went away has lost none that it wanted.
int finish_output(int exit_code);

template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
    say_text(stdout, fmt::format(format, std::forward<Args>(args)...));
}

// One line, whatever the names in it hold.
template <class... Args>
void say_error(fmt::format_string<Args...> format, Args&&... args) {
    flush_output();
    say_text(stderr,
             "trainscope: " + printable(fmt::format(format, std::forward<Args>(args)...)) + "\n");
}

// The sentence of an error. Returns exit_error.
int say_failure(const Error& error);

// Said wherever times of an emulated device are shown.
inline constexpr std::string_view emulation_note = "emulation: times say nothing of a GPU";

// A loss as it is shown: four decimals, or "nan" (which has no sign), "inf", "-inf".
inline std::string loss_text(double loss) {
    return std::isnan(loss) ? std::string("nan") : fmt::format("{:.4f}", loss);
}

}  // namespace trainscope::command_line
