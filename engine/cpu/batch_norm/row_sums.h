// SPDX-License-Identifier: GPL-3.0-or-later
// Sums over rows that are contiguous in memory, for several terms of one pass at a time. They grow
// in float vectors and move to double before they are long, so that the error stays small.
#pragma once

#include <algorithm>
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

template <int Terms>
class RowSums {
  public:
    // Adds term(i) for i in [0, count): term is `[]<class T>(std::int64_t i) -> std::array<T,
    // Terms>` for T a float or a FloatVector of the values from i on.
    template <class Term>
    void add(std::int64_t count, const Term& term) {
        std::int64_t i = 0;
        if (count >= vector_lanes) {
            i = add_vectors(count, term);
        }
        for (; i < count; ++i) {
            const auto terms = term.template operator()<float>(i);
            for (int k = 0; k < Terms; ++k) {
                totals_[static_cast<std::size_t>(k)] +=
                    static_cast<double>(terms[static_cast<std::size_t>(k)]);
            }
        }
    }

    std::array<double, Terms> totals() {
        flush();
        return totals_;
    }

  private:
    static constexpr int unroll = 4;  // hides the latency of an addition
    static constexpr std::int64_t most_held = 16384;

    // Adds all whole vectors and returns where the rest begins.
    template <class Term>
    std::int64_t add_vectors(std::int64_t count, const Term& term) {
        FloatVector sums[unroll * Terms];
        std::copy_n(sums_, unroll * Terms, sums);
        const auto add_vector = [&](std::int64_t at, int j) {
            const auto terms = term.template operator()<FloatVector>(at);
            for (int k = 0; k < Terms; ++k) {
                sums[j * Terms + k] += terms[static_cast<std::size_t>(k)];
            }
        };
        std::int64_t i = 0;
        for (; i + unroll * vector_lanes <= count; i += unroll * vector_lanes) {
            for (int j = 0; j < unroll; ++j) {
                add_vector(i + j * vector_lanes, j);
            }
        }
        for (int j = 0; j < unroll - 1; ++j) {
            if (i + vector_lanes <= count) {
                add_vector(i, j);
                i += vector_lanes;
            }
        }
        std::copy_n(sums, unroll * Terms, sums_);
        held_ += count;
        if (held_ >= most_held) {
            flush();
        }
        return i;
    }

    void flush() {
        for (int k = 0; k < Terms; ++k) {
            const FloatVector sum =
                (sums_[k] + sums_[Terms + k]) + (sums_[2 * Terms + k] + sums_[3 * Terms + k]);
            totals_[static_cast<std::size_t>(k)] += static_cast<double>(sum_of(sum));
        }
        std::fill_n(sums_, unroll * Terms, FloatVector{});
        held_ = 0;
    }

    FloatVector sums_[unroll * Terms] = {};
    std::array<double, Terms> totals_{};
    std::int64_t held_ = 0;
};

}  // namespace trainscope::cpu
