// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/near_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace trainscope {

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

std::optional<std::string_view> nearest_name(std::string_view name,
                                             std::span<const std::string_view> known) {
    constexpr std::size_t longest = 64;  // what is longer is no mistyped name
    std::optional<std::string_view> best;
    if (name.empty() || name.size() > longest) {
        return best;
    }
    std::size_t best_mistakes = std::max<std::size_t>(1, name.size() / 3) + 1;
    for (const std::string_view candidate : known) {
        const std::size_t found = mistakes(name, candidate);
        if (found < best_mistakes && found < candidate.size()) {
            best = candidate;
            best_mistakes = found;
        }
    }
    return best;
}

std::string near_name_hint(std::string_view name, std::span<const std::string_view> known) {
    const std::optional<std::string_view> nearest = nearest_name(name, known);
    return nearest ? fmt::format("; did you mean '{}'?", *nearest) : "";
}

std::string known_names_hint(std::string_view name, std::span<const std::string_view> known) {
    return fmt::format("{} (known: {})", near_name_hint(name, known), fmt::join(known, ", "));
}

}  // namespace trainscope
