// SPDX-License-Identifier: GPL-3.0-or-later
// Sums over arrays, several vectors wide. The order of additions depends on the length alone.
#pragma once

#include <cstdint>

#include "engine/cpu/vector.h"

namespace trainscope::cpu {

// Four independent sums hide the latency of an addition and keep the rounding error small.
inline float sum(const float* values, std::int64_t count) {
    FloatVector sums[4] = {};
    std::int64_t i = 0;
    for (; i + 4 * vector_lanes <= count; i += 4 * vector_lanes) {
        for (int j = 0; j < 4; ++j) {
            sums[j] += load(values + i + j * vector_lanes);
        }
    }
    for (; i + vector_lanes <= count; i += vector_lanes) {
        sums[0] += load(values + i);
    }
    float rest = 0;
    for (; i < count; ++i) {
        rest += values[i];
    }
    return sum_of((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest;
}

inline float dot(const float* a, const float* b, std::int64_t count) {
    FloatVector sums[4] = {};
    std::int64_t i = 0;
    for (; i + 4 * vector_lanes <= count; i += 4 * vector_lanes) {
        for (int j = 0; j < 4; ++j) {
            sums[j] += load(a + i + j * vector_lanes) * load(b + i + j * vector_lanes);
        }
    }
    for (; i + vector_lanes <= count; i += vector_lanes) {
        sums[0] += load(a + i) * load(b + i);
    }
    float rest = 0;
    for (; i < count; ++i) {
        rest += a[i] * b[i];
    }
    return sum_of((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest;
}

// Overwrites or adds: what `accumulate` says for parameter gradients.
inline void put(float& to, double value, bool accumulate) {
    to = static_cast<float>(accumulate ? static_cast<double>(to) + value : value);
}

}  // namespace trainscope::cpu
