// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/near_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace trainscope {

namespace {

// Levenshtein distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string near_name_hint(std::string_view name, std::span<const std::string_view> known) {
    if (name.size() > 64) {
        return "";
    }
    std::string_view best;
    std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
    for (const std::string_view candidate : known) {
        const std::size_t distance = edit_distance(name, candidate);
        if (distance < best_distance && distance < candidate.size()) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best.empty() ? "" : fmt::format("; did you mean '{}'?", best);
}

}  // namespace trainscope
