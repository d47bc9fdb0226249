// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/near_names.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace trainscope::command_line {

namespace {

char lower(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// Optimal string alignment distance, letter case ignored.
std::size_t mistakes(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> table(a.size() + 1,
                                                std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            std::size_t least = std::min(
                {table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1])) {
                least = std::min(least, table[i - 2][j - 2] + 1);
            }
            table[i][j] = least;
        }
    }
    return table[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view typed,
                                        const std::vector<std::string>& names) {
    constexpr std::size_t longest = 64;  // what is longer is no mistyped name
    std::optional<std::string> best;
    std::size_t best_mistakes = std::max<std::size_t>(1, typed.size() / 3) + 1;
    for (const std::string& name : names) {
        if (typed.empty() || typed.size() > longest) {
            break;
        }
        if (const std::size_t found = mistakes(typed, name); found < best_mistakes) {
            best = name;
            best_mistakes = found;
        }
    }
    return best;
}

std::string unknown_name(std::string_view what, std::string_view typed,
                         const std::vector<std::string>& names) {
    const std::optional<std::string> near = nearest_name(typed, names);
    return fmt::format("there is no {} '{}'{} Known: {}.", what, typed,
                       near ? fmt::format("; did you mean '{}'?", *near) : ".",
                       fmt::join(names, ", "));
}

}  // namespace trainscope::command_line
