// SPDX-License-Identifier: GPL-3.0-or-later
// What vectorised batch-norm variants do with one channel, or with some of its samples: a channel
// is a row of H * W values in each sample.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/cpu/batch_norm/row_sums.h"
#include "engine/cpu/batch_norm/statistics.h"
#include "engine/cpu/parallel.h"
#include "engine/cpu/reduce.h"
#include "engine/ops/batch_norm.h"

namespace trainscope::cpu {

// Calls body(offset, count) for the channel's row in each of the samples.
template <class Body>
void for_rows(const BatchNorm::Shape& shape, Part samples, std::int64_t channel, const Body& body) {
    const std::int64_t plane = shape.h * shape.w;
    for (std::int64_t n = samples.begin; n < samples.end; ++n) {
        body((n * shape.c + channel) * plane, plane);
    }
}

// The same rows as a whole.
inline Rows rows_of(const BatchNorm::Shape& shape, Part samples, std::int64_t channel) {
    const std::int64_t plane = shape.h * shape.w;
    return {.first = (samples.begin * shape.c + channel) * plane,
            .stride = shape.c * plane,
            .number = samples.end - samples.begin,
            .length = plane};
}

inline Part all_samples(const BatchNorm::Shape& shape) {
    return {0, shape.n};
}

inline void normalize(const BatchNorm::Shape& shape, Part samples, std::int64_t channel,
                      const Normalization& normalization, const float* x, float* y) {
    for_rows(shape, samples, channel, [&](std::int64_t at, std::int64_t count) {
        normalization.apply(x + at, y + at, count);
    });
}

inline Normalization running_normalization(const BatchNorm::Shape& shape,
                                           const BatchNorm::Inference& args, std::int64_t channel) {
    return Normalization::of(
        static_cast<double>(args.running_mean[channel]),
        inverse_deviation(static_cast<double>(args.running_var[channel]), shape.eps),
        args.gamma[channel], args.beta[channel]);
}

// Calls normalize_part(samples, channel, normalization) for all of both. Channels go to threads or,
// where there are too few, rows do.
template <class NormalizePart>
void inference_by(const BatchNorm::Shape& shape, const BatchNorm::Inference& args, int threads,
                  const NormalizePart& normalize_part) {
    const std::int64_t cuts = shape.c < threads ? shape.n : 1;  // parts of the samples
    parallel_for(threads, cuts * shape.c, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t channel = i % shape.c;
            const std::int64_t samples = shape.n / cuts;
            const std::int64_t first = i / shape.c * samples;
            normalize_part(Part{first, first + samples}, channel,
                           running_normalization(shape, args, channel));
        }
    });
}
inline void inference(const BatchNorm::Shape& shape, const BatchNorm::Inference& args,
                      int threads) {
    inference_by(shape, args, threads,
                 [&](Part samples, std::int64_t channel, const Normalization& normalization) {
                     normalize(shape, samples, channel, normalization, args.x, args.y);
                 });
}

// The mean first, then deviations around it. Rounding the mean to a float does no harm, since the
// sum of deviations says by how much it is off (the corrected two-pass algorithm of Chan et al.).
inline Statistics two_pass_statistics(const BatchNorm::Shape& shape, Part samples,
                                      std::int64_t channel, const float* x) {
    const auto count = static_cast<double>((samples.end - samples.begin) * shape.h * shape.w);
    const Rows rows = rows_of(shape, samples, channel);
    const auto [values] = row_sums<1>(
        rows, [x]<class T>(std::int64_t i) { return std::array<T, 1>{load_as<T>(x + i)}; });
    const auto center = static_cast<float>(values / count);
    const auto [sum, squares] = row_sums<2>(rows, [x, center]<class T>(std::int64_t i) {
        const T deviation = load_as<T>(x + i) - center;
        return std::array<T, 2>{deviation, deviation * deviation};
    });
    return {static_cast<double>(center) + sum / count, std::max(0.0, squares - sum * sum / count),
            count};
}

// What backward sums over a channel. The saved mean was cut to a float; `left` is what its
// deviations then sum to.
struct GradientSums {
    double left = 0, dy = 0, product = 0;  // of x - center, dy, dy * (x - center)

    void operator+=(const GradientSums& other) {
        left += other.left;
        dy += other.dy;
        product += other.product;
    }
};

inline GradientSums gradient_sums(const BatchNorm::Shape& shape, Part samples, std::int64_t channel,
                                  const BatchNorm::Backward& args) {
    const auto [left, dy, product] = row_sums<3>(
        rows_of(shape, samples, channel),
        [x = args.x, dy = args.dy, center = args.saved_mean[channel]]<class T>(std::int64_t i) {
            const T deviation = load_as<T>(x + i) - center;
            const T gradient = load_as<T>(dy + i);
            return std::array<T, 3>{deviation, gradient, gradient * deviation};
        });
    return {left, dy, product};
}

// dx = scale * dy - slope * (x - center) - offset.
struct InputGradient {
    float center, scale, slope, offset;

    // May work in place: dx may be dy.
    void apply(const float* x, const float* dy, float* dx, std::int64_t count) const {
        std::int64_t i = 0;
        for (; i + vector_lanes <= count; i += vector_lanes) {
            store(dx + i, load(dy + i) * scale - ((load(x + i) - center) * slope + offset));
        }
        for (; i < count; ++i) {
            dx[i] = dy[i] * scale - ((x[i] - center) * slope + offset);
        }
    }
};

// Writes or adds the channel's dgamma and dbeta, and returns what dx is.
inline InputGradient finish_gradients(const BatchNorm::Shape& shape,
                                      const BatchNorm::Backward& args, std::int64_t channel,
                                      const GradientSums& sums) {
    const auto count = static_cast<double>(shape.values_per_channel());
    const auto invstd = static_cast<double>(args.saved_invstd[channel]);
    const double off = sums.left / count;  // by how much the true mean is above the saved one
    const double dgamma = (sums.product - off * sums.dy) * invstd;
    const double scale = static_cast<double>(args.gamma[channel]) * invstd;
    const double slope = scale * invstd * dgamma / count;
    put(args.dgamma[channel], dgamma, args.accumulate);
    put(args.dbeta[channel], sums.dy, args.accumulate);
    return {args.saved_mean[channel], static_cast<float>(scale), static_cast<float>(slope),
            static_cast<float>(scale * sums.dy / count - slope * off)};
}

inline void input_gradient(const BatchNorm::Shape& shape, Part samples, std::int64_t channel,
                           const InputGradient& gradient, const BatchNorm::Backward& args) {
    for_rows(shape, samples, channel, [&](std::int64_t at, std::int64_t count) {
        gradient.apply(args.x + at, args.dy + at, args.dx + at, count);
    });
}

// Whole channels, each read by one thread again while it is still in its cache.
inline void two_pass_forward(const BatchNorm::Shape& shape, const BatchNorm::Forward& args,
                             int threads) {
    parallel_for(threads, shape.c, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t c = begin; c < end; ++c) {
            const Part samples = all_samples(shape);
            const Statistics statistics = two_pass_statistics(shape, samples, c, args.x);
            normalize(shape, samples, c, finish_channel(shape, args, c, statistics), args.x,
                      args.y);
        }
    });
}

inline void channel_backward(const BatchNorm::Shape& shape, const BatchNorm::Backward& args,
                             int threads) {
    parallel_for(threads, shape.c, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t c = begin; c < end; ++c) {
            const Part samples = all_samples(shape);
            const GradientSums sums = gradient_sums(shape, samples, c, args);
            input_gradient(shape, samples, c, finish_gradients(shape, args, c, sums), args);
        }
    });
}

}  // namespace trainscope::cpu
