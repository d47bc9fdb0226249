// SPDX-License-Identifier: GPL-3.0-or-later
// Welford's running mean and variance (1962) in the lanes of a few vectors at a time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/cpu/batch_norm/statistics.h"
#include "engine/cpu/vector.h"

namespace trainscope::cpu {

// Values go round the lanes of `rows` vectors; all lanes of a row have seen equally many. The lanes
// work on x - center, where a center near the values keeps the float means exact.
class WelfordLanes {
  public:
    explicit WelfordLanes(float center) : center_(center) {}

    void add(const float* x, std::int64_t count) {
        std::int64_t i = 0;
        if (count >= vector_lanes) {
            i = add_vectors(x, count);
        }
        for (; i < count; ++i) {
            rest_.add(x[i] - center_);
        }
    }

    Statistics statistics() {
        flush();
        Statistics result = done_.merged({rest_.mean, rest_.m2, rest_.count});
        result.mean += static_cast<double>(center_);
        return result;
    }

  private:
    static constexpr int row_count = 4;       // hides the latency of an update
    static constexpr float most_held = 4096;  // values of a lane

    struct Row {
        FloatVector mean = {}, m2 = {};
        float count = 0;

        void add(FloatVector value) {
            count += 1;
            const FloatVector deviation = value - mean;
            mean += deviation * (1 / count);
            m2 += deviation * (value - mean);
        }
        // Chan's rule lane by lane; empty rows change nothing.
        void merge(const Row& other) {
            if (other.count == 0) {
                return;
            }
            const float total = count + other.count;
            const FloatVector difference = other.mean - mean;
            mean += difference * (other.count / total);
            m2 += other.m2 + difference * difference * (count * (other.count / total));
            count = total;
        }
    };
    struct Scalar {
        double mean = 0, m2 = 0, count = 0;

        void add(float value) {
            count += 1;
            const double deviation = static_cast<double>(value) - mean;
            mean += deviation / count;
            m2 += deviation * (static_cast<double>(value) - mean);
        }
    };

    // Adds all whole vectors and returns where the rest begins.
    std::int64_t add_vectors(const float* x, std::int64_t count) {
        std::int64_t i = 0;
        Row rows[row_count];
        std::copy_n(rows_, row_count, rows);
        for (; i + row_count * vector_lanes <= count; i += row_count * vector_lanes) {
            for (int j = 0; j < row_count; ++j) {
                rows[j].add(load(x + i + j * vector_lanes) - center_);
            }
        }
        for (int j = 0; j < row_count - 1; ++j) {
            if (i + vector_lanes <= count) {
                rows[j].add(load(x + i) - center_);
                i += vector_lanes;
            }
        }
        std::copy_n(rows, row_count, rows_);
        if (rows_[0].count >= most_held) {
            flush();
        }
        return i;
    }

    void flush() {
        for (int j = 1; j < row_count; ++j) {
            rows_[0].merge(rows_[j]);
        }
        Statistics lanes[vector_lanes];
        for (int lane = 0; lane < vector_lanes; ++lane) {
            lanes[lane] = {static_cast<double>(rows_[0].mean[lane]),
                           static_cast<double>(rows_[0].m2[lane]),
                           static_cast<double>(rows_[0].count)};
        }
        for (int width = vector_lanes / 2; width > 0; width /= 2) {
            for (int lane = 0; lane < width; ++lane) {
                lanes[lane] = lanes[lane].merged(lanes[lane + width]);
            }
        }
        done_ = done_.merged(lanes[0]);
        std::fill_n(rows_, row_count, Row{});
    }

    float center_;
    Row rows_[row_count];
    Scalar rest_;      // what fills no vector
    Statistics done_;  // around center_
};

}  // namespace trainscope::cpu
