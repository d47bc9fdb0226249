// SPDX-License-Identifier: GPL-3.0-or-later
// Sums over rows that are contiguous in memory, for several terms of one pass at a time. They grow
// in float vectors and move to double before they are long, so that the error stays small.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "engine/cpu/vector.h"

namespace trainscope::cpu {

// One value or a vector of them, as the term asks for.
template <class T>
T load_as(const float* from) {
    if constexpr (std::is_same_v<T, float>) {
        return *from;
    } else {
        return load(from);
    }
}

// Rows of `length` values each, `stride` apart, from offset `first` on.
struct Rows {
    std::int64_t first, stride, number, length;
};

// The sums of term(i) over the rows' offsets i: term is `[]<class T>(std::int64_t i) ->
// std::array<T, Terms>` for T a float or a FloatVector of the values from i on.
template <int Terms, class Term>
std::array<double, Terms> row_sums(const Rows& rows, const Term& term) {
    constexpr int unroll = 4;                // hides the latency of an addition
    constexpr std::int64_t most_held = 256;  // vectors in the float sums
    FloatVector sums[unroll][Terms] = {};
    std::array<double, Terms> totals{};
    std::int64_t held = 0;
    const auto add_vector = [&](std::int64_t at, int j) {
        const std::array<FloatVector, Terms> terms = term.template operator()<FloatVector>(at);
        for (int k = 0; k < Terms; ++k) {
            sums[j][k] += terms[static_cast<std::size_t>(k)];
        }
    };
    const auto flush = [&] {
        for (int k = 0; k < Terms; ++k) {
            const FloatVector sum = (sums[0][k] + sums[1][k]) + (sums[2][k] + sums[3][k]);
            totals[static_cast<std::size_t>(k)] += static_cast<double>(sum_of(sum));
            for (int j = 0; j < unroll; ++j) {
                sums[j][k] = FloatVector{};
            }
        }
        held = 0;
    };
    for (std::int64_t row = 0; row < rows.number; ++row) {
        std::int64_t i = rows.first + row * rows.stride;
        const std::int64_t end = i + rows.length;
        for (; i + unroll * vector_lanes <= end; i += unroll * vector_lanes) {
            for (int j = 0; j < unroll; ++j) {
                add_vector(i + j * vector_lanes, j);
            }
            held += unroll;
            if (held >= most_held) {
                flush();
            }
        }
        for (int j = 0; j < unroll - 1; ++j) {
            if (i + vector_lanes <= end) {
                add_vector(i, j);
                i += vector_lanes;
                ++held;
            }
        }
        for (; i < end; ++i) {
            const std::array<float, Terms> terms = term.template operator()<float>(i);
            for (std::size_t k = 0; k < Terms; ++k) {
                totals[k] += static_cast<double>(terms[k]);
            }
        }
    }
    flush();
    return totals;
}

}  // namespace trainscope::cpu
