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

template <int Terms>
class RowSums {
  public:
    // Adds term(i) for i in [0, count): term is `[]<class T>(std::int64_t i) -> std::array<T,
    // Terms>` for T a float or a FloatVector of the values from i on.
    template <class Term>
    void add(std::int64_t count, const Term& term) {
        FloatVector sums[unroll][Terms];
        for (int j = 0; j < unroll; ++j) {
            for (int k = 0; k < Terms; ++k) {
                sums[j][k] = sums_[j][k];
            }
        }
        const auto add_vector = [&](std::int64_t at, int j) {
            const auto terms = term.template operator()<FloatVector>(at);
            for (int k = 0; k < Terms; ++k) {
                sums[j][k] += terms[static_cast<std::size_t>(k)];
            }
        };
        std::int64_t i = 0;
        for (; i + unroll * vector_lanes <= count; i += unroll * vector_lanes) {
            for (int j = 0; j < unroll; ++j) {
                add_vector(i + j * vector_lanes, j);
            }
        }
        for (; i + vector_lanes <= count; i += vector_lanes) {
            add_vector(i, 0);
        }
        for (; i < count; ++i) {
            const auto terms = term.template operator()<float>(i);
            for (int k = 0; k < Terms; ++k) {
                totals_[static_cast<std::size_t>(k)] +=
                    static_cast<double>(terms[static_cast<std::size_t>(k)]);
            }
        }
        for (int j = 0; j < unroll; ++j) {
            for (int k = 0; k < Terms; ++k) {
                sums_[j][k] = sums[j][k];
            }
        }
        held_ += count;
        if (held_ >= most_held) {
            flush();
        }
    }

    std::array<double, Terms> totals() {
        flush();
        return totals_;
    }

  private:
    static constexpr int unroll = 4;  // hides the latency of an addition
    static constexpr std::int64_t most_held = 16384;

    void flush() {
        for (int k = 0; k < Terms; ++k) {
            const FloatVector sum = (sums_[0][k] + sums_[1][k]) + (sums_[2][k] + sums_[3][k]);
            totals_[static_cast<std::size_t>(k)] += static_cast<double>(sum_of(sum));
            for (int j = 0; j < unroll; ++j) {
                sums_[j][k] = FloatVector{};
            }
        }
        held_ = 0;
    }

    FloatVector sums_[unroll][Terms] = {};
    std::array<double, Terms> totals_{};
    std::int64_t held_ = 0;
};

}  // namespace trainscope::cpu
