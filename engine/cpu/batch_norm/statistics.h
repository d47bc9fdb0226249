// SPDX-License-Identifier: GPL-3.0-or-later
// A channel's mean and variance, and what every batch-norm variant does with them.
#pragma once

#include <cmath>

#include "engine/ops/batch_norm.h"

namespace trainscope::cpu {

struct Statistics {
    double mean = 0;
    double m2 = 0;  // sum of squared deviations from the mean
    double count = 0;

    // Chan et al. 1979: joins the statistics of two disjoint sets.
    Statistics merged(const Statistics& other) const {
        if (other.count == 0) {
            return *this;
        }
        if (count == 0) {
            return other;
        }
        const double n = count + other.count;
        const double difference = other.mean - mean;
        return {mean + difference * (other.count / n),
                m2 + other.m2 + difference * difference * (count * other.count / n), n};
    }
};

// y = (x - center) * scale + shift. The center is the mean as a float, which x - center is exact
// for when |mean| is much larger than the deviation; what the float cuts off the mean is in shift.
struct Normalization {
    float center, scale, shift;

    static Normalization of(double mean, double invstd, float gamma, float beta) {
        const auto center = static_cast<float>(mean);
        const double scale = static_cast<double>(gamma) * invstd;
        return {center, static_cast<float>(scale),
                static_cast<float>(static_cast<double>(beta) - (mean - center) * scale)};
    }
    void apply(const float* x, float* y, std::int64_t count) const {
        for (std::int64_t i = 0; i < count; ++i) {
            y[i] = (x[i] - center) * scale + shift;
        }
    }
};

inline double inverse_deviation(double variance, float eps) {
    return 1.0 / std::sqrt(variance + static_cast<double>(eps));
}

// Keeps the channel's statistics for backward, updates its running values, and returns how to
// normalise it.
inline Normalization finish_channel(const BatchNorm::Shape& shape, const BatchNorm::Forward& args,
                                    std::int64_t channel, const Statistics& statistics) {
    const double invstd = inverse_deviation(statistics.m2 / statistics.count, shape.eps);
    args.saved_mean[channel] = static_cast<float>(statistics.mean);
    args.saved_invstd[channel] = static_cast<float>(invstd);
    const double momentum = static_cast<double>(shape.momentum);
    const auto update = [momentum](float& running, double batch) {
        running =
            static_cast<float>((1 - momentum) * static_cast<double>(running) + momentum * batch);
    };
    update(args.running_mean[channel], statistics.mean);
    update(args.running_var[channel], statistics.m2 / (statistics.count - 1));
    return Normalization::of(statistics.mean, invstd, args.gamma[channel], args.beta[channel]);
}

}  // namespace trainscope::cpu
