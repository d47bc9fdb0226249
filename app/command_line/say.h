// SPDX-License-Identifier: GPL-3.0-or-later
// Prints that a training survives: a reader that went away (`| head -1`) or a full disk behind
// stdout costs the text, never the run.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

namespace trainscope::command_line {

// fmt::print throws where the stream does not take the text.
inline void say_text(std::FILE* to, const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), to);
}

template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
    say_text(stdout, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void say_error(fmt::format_string<Args...> format, Args&&... args) {
    std::fflush(stdout);
    say_text(stderr, "trainscope: " + fmt::format(format, std::forward<Args>(args)...) + "\n");
}

// A loss as it is shown: four decimals, or "nan" (which has no sign), "inf", "-inf".
inline std::string loss_text(double loss) {
    return std::isnan(loss) ? std::string("nan") : fmt::format("{:.4f}", loss);
}

}  // namespace trainscope::command_line
