// SPDX-License-Identifier: GPL-3.0-or-later
// Welford's running mean and variance (1962) in the lanes of a few vectors at a time.
#pragma once

#include <cstdint>

#include "engine/cpu/batch_norm/row_sums.h"
#include "engine/cpu/batch_norm/statistics.h"
#include "engine/cpu/vector.h"

namespace trainscope::cpu {

// The state of one vector: a mean and variance in each lane, all lanes of as many values.
struct WelfordLanes {
    FloatVector mean = {}, m2 = {};
    float count = 0;

    void add(FloatVector value) {
        count += 1;
        const FloatVector deviation = value - mean;
        mean += deviation * (1 / count);
        m2 += deviation * (value - mean);
    }
    // Chan's rule lane by lane; what is empty changes nothing.
    void merge(const WelfordLanes& other) {
        if (other.count == 0) {
            return;
        }
        const float total = count + other.count;
        const FloatVector difference = other.mean - mean;
        mean += difference * (other.count / total);
        m2 += other.m2 + difference * difference * (count * (other.count / total));
        count = total;
    }
    // Chan's rule among the lanes.
    Statistics statistics() const {
        Statistics lanes[vector_lanes];
        for (int lane = 0; lane < vector_lanes; ++lane) {
            lanes[lane] = {static_cast<double>(mean[lane]), static_cast<double>(m2[lane]),
                           static_cast<double>(count)};
        }
        for (int width = vector_lanes / 2; width > 0; width /= 2) {
            for (int lane = 0; lane < width; ++lane) {
                lanes[lane] = lanes[lane].merged(lanes[lane + width]);
            }
        }
        return lanes[0];
    }
};

// The statistics of the rows' values in one pass. The lanes work on x - center, where a center near
// the values keeps the float means exact.
inline Statistics welford_statistics(const float* x, const Rows& rows, float center) {
    constexpr int unroll = 4;          // hides the latency of an update
    constexpr float most_held = 4096;  // values of a lane
    WelfordLanes lanes[unroll];
    Statistics done;                                    // around center
    double rest_mean = 0, rest_m2 = 0, rest_count = 0;  // of what fills no vector
    const auto flush = [&] {
        for (int j = 1; j < unroll; ++j) {
            lanes[0].merge(lanes[j]);
        }
        done = done.merged(lanes[0].statistics());
        for (WelfordLanes& emptied : lanes) {
            emptied = {};
        }
    };
    for (std::int64_t row = 0; row < rows.number; ++row) {
        std::int64_t i = rows.first + row * rows.stride;
        const std::int64_t end = i + rows.length;
        for (; i + unroll * vector_lanes <= end; i += unroll * vector_lanes) {
            for (int j = 0; j < unroll; ++j) {
                lanes[j].add(load(x + i + j * vector_lanes) - center);
            }
        }
        for (int j = 0; j < unroll - 1; ++j) {
            if (i + vector_lanes <= end) {
                lanes[j].add(load(x + i) - center);
                i += vector_lanes;
            }
        }
        for (; i < end; ++i) {
            rest_count += 1;
            const auto value = static_cast<double>(x[i] - center);
            const double deviation = value - rest_mean;
            rest_mean += deviation / rest_count;
            rest_m2 += deviation * (value - rest_mean);
        }
        if (lanes[0].count >= most_held) {
            flush();
        }
    }
    flush();
    Statistics result = done.merged({rest_mean, rest_m2, rest_count});
    result.mean += static_cast<double>(center);
    return result;
}

}  // namespace trainscope::cpu
