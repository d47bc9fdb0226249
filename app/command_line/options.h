// SPDX-License-Identifier: GPL-3.0-or-later
// How options read their values: what cannot be read is refused with the option's name in front.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/result.h"

namespace trainscope::command_line {

// What an option's reader found wrong. CLI11 names the option in front of it.
[[noreturn]] void refuse(const std::string& option, const std::string& reason);

template <class T>
T accept(const std::string& option, Result<T> value) {
    if (!value) {
        refuse(option, value.error().message);
    }
    return std::move(*value);
}

// An option with one value, under one name or several ("--batch-size,--micro-batch"): `use` gets
// its text, and refuses what it cannot read. Given twice, the last holds, so that a saved command
// can be varied by adding to it.
void add_value(CLI::App& app, const std::string& name, const std::string& type,
               const std::string& help, const std::function<void(const std::string& text)>& use);

// Of samples, steps, epochs: what can be multiplied without a thought.
inline constexpr std::int64_t most_counted = 1'000'000'000;

struct Range {
    std::int64_t least = 1;
    std::int64_t most = most_counted;
};

void add_count(CLI::App& app, const std::string& name, const std::string& help, Range range,
               const std::function<void(std::int64_t)>& use);

// Refuses what is none of the names, with the nearest of them. `what` is "model", "format", ...
void require_name(const std::string& option, std::string_view what, const std::string& typed,
                  const std::vector<std::string>& names);

}  // namespace trainscope::command_line
