// SPDX-License-Identifier: GPL-3.0-or-later
// Forward pass of `fused_direct` for one sample: the four convolution outputs of a pooling window
// are held in registers for a vector of pooled columns and a few filters, and only their maximum is
// written.
#pragma once

#include "engine/cpu/conv_relu_pool/planes.h"

namespace trainscope::cpu::fused {

// Filters that share each load of the input: four accumulators each, half of the registers.
inline constexpr int filter_block = vector_lanes == 16 ? 4 : 2;

struct Winner {
    FloatVector value;
    IntVector place;  // inside the window; -1 (inactive) where the maximum is <= 0
};

// For windows without NaN.
inline Winner winner_of(const FloatVector (&a)[4]) {
    const FloatVector zero{};
    const IntVector right_above = a[1] > a[0];
    const IntVector right_below = a[3] > a[2];
    const FloatVector above = a[1] > a[0] ? a[1] : a[0];
    const FloatVector below = a[3] > a[2] ? a[3] : a[2];
    const IntVector lower = below > above;
    const FloatVector best = below > above ? below : above;
    const IntVector place = (lower & 2) - (lower ? right_below : right_above);
    return {best > zero ? best : zero, place | (best <= zero)};
}

// The same where the first NaN of a window wins.
inline Winner winner_with_nan(const FloatVector (&a)[4]) {
    const FloatVector zero{};
    FloatVector best = a[0];
    IntVector place{};
    for (int i = 1; i < 4; ++i) {
        const IntVector take = ~(a[i] <= best) & (best == best);
        best = take ? a[i] : best;
        place = take ? IntVector{} + i : place;
    }
    return {best <= zero ? zero : best, place | (best <= zero)};
}

// A row of pooled columns is cut into vectors; the last one is moved back to end with the row, and
// a row shorter than a vector goes through a buffer.
template <class Body>
void for_each_vector(std::int64_t width, const Body& body) {
    std::int64_t j = 0;
    for (; j + vector_lanes <= width; j += vector_lanes) {
        body(j);
    }
    if (j < width) {
        body(std::max<std::int64_t>(0, width - vector_lanes));
    }
}

inline void store_winner(const Winner& winner, std::int64_t width, float* y, std::uint8_t* index) {
    if (width >= vector_lanes) {
        store(y, winner.value);
        store_bytes(index, winner.place);
        return;
    }
    std::memcpy(y, &winner.value, static_cast<std::size_t>(width) * sizeof(float));
    store_bytes(index, winner.place, width);
}

// `Filters` filters of one sample. R and S are the kernel's size, or 0 where it is only known at
// run time. Returns a sum that is NaN if any convolution output was (or if infinities met).
template <int Filters, int R, int S, bool WithNan>
FloatVector forward_filters(const ConvReluPool::Shape& shape, const Planes& planes, const float* x,
                            const float* weight, const float* bias, float* y, std::uint8_t* index) {
    const std::int64_t kernel_h = R > 0 ? R : shape.conv.r;
    const std::int64_t kernel_w = S > 0 ? S : shape.conv.s;
    const std::int64_t filter_floats = planes.channels * kernel_h * kernel_w;
    const std::int64_t pooled = planes.pooled_h * planes.pooled_w;
    FloatVector check{};
    for (std::int64_t i = 0; i < planes.pooled_h; ++i) {
        for_each_vector(planes.pooled_w, [&](std::int64_t j) {
            FloatVector sums[Filters][4];
            for (int k = 0; k < Filters; ++k) {
                for (FloatVector& sum : sums[k]) {
                    sum = broadcast(bias == nullptr ? 0.0F : bias[k]);
                }
            }
            const float* w = weight;
            for (std::int64_t c = 0; c < planes.channels; ++c) {
                const float* from =
                    x + c * planes.channel_floats() + 2 * i * planes.row_floats() + j;
#pragma GCC unroll 8
                for (std::int64_t r = 0; r < kernel_h; ++r) {
#pragma GCC unroll 8
                    for (std::int64_t s = 0; s < kernel_w; ++s) {
                        const float* above = from + r * planes.row_floats();
                        const float* below = above + planes.row_floats();
                        const FloatVector window[4] = {load_once(above + planes.offset(s)),
                                                       load_once(above + planes.offset(s + 1)),
                                                       load_once(below + planes.offset(s)),
                                                       load_once(below + planes.offset(s + 1))};
                        for (int k = 0; k < Filters; ++k) {
                            const FloatVector tap =
                                broadcast(w[k * filter_floats + r * kernel_w + s]);
                            for (int q = 0; q < 4; ++q) {
                                sums[k][q] += tap * window[q];
                            }
                        }
                    }
                }
                w += kernel_h * kernel_w;
            }
            for (int k = 0; k < Filters; ++k) {
                check += (sums[k][0] + sums[k][1]) + (sums[k][2] + sums[k][3]);
                const Winner winner = WithNan ? winner_with_nan(sums[k]) : winner_of(sums[k]);
                const std::int64_t at = k * pooled + i * planes.pooled_w + j;
                store_winner(winner, planes.pooled_w, y + at, index + at);
            }
        });
    }
    return check;
}

template <int Filters, int R, int S>
void forward_block(const ConvReluPool::Shape& shape, const Planes& planes, const float* x,
                   const float* weight, const float* bias, float* y, std::uint8_t* index) {
    const FloatVector check =
        forward_filters<Filters, R, S, false>(shape, planes, x, weight, bias, y, index);
    // NaN is rare enough to do such a block twice.
    if (const float sum = sum_of(check); sum != sum) {
        forward_filters<Filters, R, S, true>(shape, planes, x, weight, bias, y, index);
    }
}

// One sample: x as planes, y and index [K, PH, PW].
template <int R, int S>
void forward_sample(const ConvReluPool::Shape& shape, const Planes& planes, const float* x,
                    const float* weight, const float* bias, float* y, std::uint8_t* index) {
    const std::int64_t filter_floats = shape.conv.c * shape.conv.r * shape.conv.s;
    const std::int64_t pooled = planes.pooled_h * planes.pooled_w;
    std::int64_t k = 0;
    const auto run = [&](auto block, int filters) {
        block(shape, planes, x, weight + k * filter_floats, bias == nullptr ? nullptr : bias + k,
              y + k * pooled, index + k * pooled);
        k += filters;
    };
    while (k + filter_block <= shape.conv.k) {
        run(forward_block<filter_block, R, S>, filter_block);
    }
    while (k < shape.conv.k) {
        run(forward_block<1, R, S>, 1);
    }
}

}  // namespace trainscope::cpu::fused
