// SPDX-License-Identifier: GPL-3.0-or-later
// The matrix of im2col for one sample and group: a row for each tap of the filter and channel, a
// column for each position of the output.
// Without strides a row is the padded plane, shifted by the tap: the matrix then is only a list of
// offsets into the planes, and nothing is written nine times. The price is that columns run over
// the padded width, so that between the rows of the output lie a few positions that belong to none.
// With strides the matrix is written out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/cpu/gemm.h"
#include "engine/cpu/window.h"
#include "engine/ops/conv2d.h"

namespace trainscope::cpu {

class Im2col {
  public:
    const bool shifted;                  // rows are shifted planes
    const std::int64_t channels;         // of a group
    const std::int64_t depth;            // rows of the matrix
    const std::int64_t padded_w, plane;  // of a padded plane
    const std::int64_t pitch;            // columns from one row of outputs to the next
    const std::int64_t positions;        // columns of the matrix
    const std::int64_t stride;           // of matrices with a column for each position, in floats
    const std::int64_t floats;  // of the matrix, or of the planes it is a list of offsets into

    explicit Im2col(const Conv2d::Shape& shape)
        : shifted(shape.stride_h == 1 && shape.stride_w == 1),
          channels(shape.c / shape.groups),
          depth(channels * shape.r * shape.s),
          padded_w(shape.w + 2 * shape.pad_w),
          plane((shape.h + 2 * shape.pad_h) * padded_w),
          pitch(shifted ? padded_w : shape.out_w()),
          positions((shape.out_h() - 1) * pitch + shape.out_w()),
          // Not a power of two, or the rows would share the same few sets of the cache.
          stride(round_up(positions, tile_columns) + 16),
          floats(shifted ? channels * plane + tile_columns : depth * stride),
          shape_(shape),
          rows_{shape.h, shape.out_h(), shape.stride_h, shape.pad_h},
          columns_{shape.w, shape.out_w(), shape.stride_w, shape.pad_w} {}

    // Where each row of the matrix begins. Rows are ordered by tap, then channel.
    std::vector<std::int64_t> offsets() const {
        std::vector<std::int64_t> list;
        for (std::int64_t row = 0; row < depth; ++row) {
            const std::int64_t tap = row / channels;
            list.push_back(shifted
                               ? row % channels * plane + tap / shape_.s * padded_w + tap % shape_.s
                               : row * stride);
        }
        return list;
    }

    // x: the group's channels of a sample. What is padding must be zero already, and stays so.
    void fill(const float* x, float* matrix) const {
        if (shifted) {
            for_rows_of_planes([&](std::int64_t plain, std::int64_t padded) {
                std::copy_n(x + plain, shape_.w, matrix + padded);
            });
        } else {
            for_entries([&](std::int64_t plain, std::int64_t entry) { matrix[entry] = x[plain]; });
        }
    }
    // The reverse, col2im: dx becomes the sum of what the matrix holds for each input.
    void sum(const float* matrix, float* dx) const {
        if (shifted) {  // the sums were made when the shifted rows were added to
            for_rows_of_planes([&](std::int64_t plain, std::int64_t padded) {
                std::copy_n(matrix + padded, shape_.w, dx + plain);
            });
        } else {
            std::fill_n(dx, channels * shape_.h * shape_.w, 0.0F);
            for_entries(
                [&](std::int64_t plain, std::int64_t entry) { dx[plain] += matrix[entry]; });
        }
    }

    // Calls body(offset in a plane of the output, column of the matrix) for each row of outputs.
    template <class Body>
    void for_output_rows(const Body& body) const {
        for (std::int64_t oh = 0; oh < rows_.out; ++oh) {
            body(oh * columns_.out, oh * pitch);
        }
    }

  private:
    template <class Body>
    void for_rows_of_planes(const Body& body) const {
        for (std::int64_t c = 0; c < channels; ++c) {
            const std::int64_t begin = c * plane + shape_.pad_h * padded_w + shape_.pad_w;
            for (std::int64_t row = 0; row < shape_.h; ++row) {
                body((c * shape_.h + row) * shape_.w, begin + row * padded_w);
            }
        }
    }

    template <class Body>
    void for_entries(const Body& body) const {
        for (std::int64_t row = 0; row < depth; ++row) {
            const std::int64_t tap = row / channels;
            const std::int64_t first = row % channels * shape_.h;
            const Axis::Range oh = rows_.outputs_of(tap / shape_.s);
            const Axis::Range ow = columns_.outputs_of(tap % shape_.s);
            for (std::int64_t y = oh.begin; y < oh.end; ++y) {
                const std::int64_t from = (first + rows_.input_of(y, tap / shape_.s)) * shape_.w;
                const std::int64_t to = row * stride + y * pitch;
                for (std::int64_t x = ow.begin; x < ow.end; ++x) {
                    body(from + columns_.input_of(x, tap % shape_.s), to + x);
                }
            }
        }
    }

    Conv2d::Shape shape_;
    Axis rows_, columns_;
};

}  // namespace trainscope::cpu
