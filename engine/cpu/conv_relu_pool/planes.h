// SPDX-License-Identifier: GPL-3.0-or-later
// How `fused_direct` lays out one sample. With 2x2 pooling, neighbouring pooled columns are two
// input columns apart; so each padded row is split into its even and its odd columns, and then
// every load of the kernels takes consecutive floats for consecutive pooled columns.
#pragma once

#include <algorithm>

#include "engine/cpu/vector.h"
#include "engine/ops/conv_relu_pool.h"

namespace trainscope::cpu::fused {

struct Planes {
    std::int64_t channels, height, width;  // of the sample without padding
    std::int64_t pad_h, pad_w;
    std::int64_t rows;     // padded rows that windows touch
    std::int64_t columns;  // padded columns that windows touch
    std::int64_t stride;   // floats of one row of one parity
    std::int64_t pooled_h, pooled_w;

    explicit Planes(const ConvReluPool::Shape& shape)
        : channels(shape.conv.c),
          height(shape.conv.h),
          width(shape.conv.w),
          pad_h(shape.conv.pad_h),
          pad_w(shape.conv.pad_w),
          rows(2 * shape.pool.out_h() + shape.conv.r - 1),
          columns(2 * shape.pool.out_w() + shape.conv.s - 1),
          stride(round_up_to_vector(round_up_to_vector(shape.pool.out_w()) + shape.conv.s / 2)),
          pooled_h(shape.pool.out_h()),
          pooled_w(shape.pool.out_w()) {}

    std::int64_t row_floats() const { return 2 * stride; }
    std::int64_t channel_floats() const { return rows * row_floats(); }
    std::int64_t floats() const { return channels * channel_floats(); }
    // Where padded column `column`, counted from twice the pooled column, lies in a row.
    std::int64_t offset(std::int64_t column) const { return column % 2 * stride + column / 2; }

    // The sample's rows and columns that windows touch.
    std::int64_t used_height() const { return std::min(height, rows - pad_h); }
    std::int64_t used_width() const { return std::min(width, columns - pad_w); }

    // Writes a sample into planes whose padding is zero already.
    void split(const float* sample, float* planes) const {
        const std::int64_t used = used_width();
        for (std::int64_t c = 0; c < channels; ++c) {
            for (std::int64_t y = 0; y < used_height(); ++y) {
                const float* __restrict from = sample + (c * height + y) * width;
                float* row = planes + c * channel_floats() + (y + pad_h) * row_floats();
                float* __restrict first = row + offset(pad_w);
                float* __restrict second = row + offset(pad_w + 1);
                for (std::int64_t i = 0; i < used / 2; ++i) {
                    first[i] = from[2 * i];
                    second[i] = from[2 * i + 1];
                }
                if (used % 2 != 0) {
                    first[used / 2] = from[used - 1];
                }
            }
        }
    }
    // The way back, for gradients; what no window touches gets 0.
    void join(const float* planes, float* sample) const {
        const std::int64_t used = used_width();
        for (std::int64_t c = 0; c < channels; ++c) {
            for (std::int64_t y = 0; y < height; ++y) {
                float* __restrict to = sample + (c * height + y) * width;
                if (y >= used_height()) {
                    std::fill_n(to, width, 0.0F);
                    continue;
                }
                const float* row = planes + c * channel_floats() + (y + pad_h) * row_floats();
                const float* __restrict first = row + offset(pad_w);
                const float* __restrict second = row + offset(pad_w + 1);
                for (std::int64_t i = 0; i < used / 2; ++i) {
                    to[2 * i] = first[i];
                    to[2 * i + 1] = second[i];
                }
                if (used % 2 != 0) {
                    to[used - 1] = first[used / 2];
                }
                std::fill_n(to + used, width - used, 0.0F);
            }
        }
    }
};

}  // namespace trainscope::cpu::fused
