// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tune/cases/matrix.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trainscope::bench {

namespace {
constexpr std::array<std::string_view, 2> ranks = {"full", "deficient"};
}  // namespace

std::vector<float> far_from_singular(std::int64_t m, std::int64_t n, BenchData& data) {
    std::vector<float> a = data.normal(m * n, 1 / std::sqrt(static_cast<double>(std::max(m, n))));
    for (std::int64_t i = 0; i < std::min(m, n); ++i) {
        a[static_cast<std::size_t>(i * n + std::min(m, n) - 1 - i)] += 3;
    }
    return a;
}

BenchField rank_field(std::string_view meaning) {
    return {.name = "rank",
            .meaning = meaning,
            .usual = always<0>,
            .usual_text = ranks[0],
            .shown_when_usual = false,
            .words = ranks};
}

}  // namespace trainscope::bench
