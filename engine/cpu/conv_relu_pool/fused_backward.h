// SPDX-License-Identifier: GPL-3.0-or-later
// Backward pass of `fused_direct` for one sample. The gradient of a pooled value goes to its
// window's winner alone: it is spread over four rows of zeros and values, one a place in the
// window, which then meet the input (dweight) or the filters (dx) like in the forward pass.
#pragma once

#include "engine/cpu/conv_relu_pool/fused_forward.h"

namespace trainscope::cpu::fused {

// Spreads one row of one channel: spread[q * stride + j] = dy[j] where index[j] is q, else 0.
// What lies behind the row's end in `spread` must be zero already.
inline void spread_row(const float* dy, const std::uint8_t* index, std::int64_t width,
                       float* spread, std::int64_t stride) {
    const FloatVector zero{};
    if (width < vector_lanes) {
        for (std::int64_t j = 0; j < width; ++j) {
            for (int q = 0; q < 4; ++q) {
                spread[q * stride + j] = index[j] == q ? dy[j] : 0.0F;
            }
        }
        return;
    }
    for_each_vector(width, [&](std::int64_t j) {
        const IntVector place = load_bytes(index + j);
        const FloatVector gradient = load(dy + j);
        for (int q = 0; q < 4; ++q) {
            store(spread + q * stride + j, place == q ? gradient : zero);
        }
    });
}

// The sum over all rows of one channel.
inline float sum_of_spread(const float* spread, std::int64_t rows, std::int64_t stride) {
    FloatVector sums[4] = {};  // so that one addition need not wait for the one before
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < stride; j += vector_lanes) {
            for (int q = 0; q < 4; ++q) {
                sums[q] += load(spread + (4 * i + q) * stride + j);
            }
        }
    }
    return sum_of((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

// The taps [r0, r0 + R) x [s0, s0 + S) of one filter and one input channel.
// spread: [PH, 4, spread_stride] of this filter; dweight: the channel's taps, kernel_w a row.
template <int R, int S>
void add_dweight(const Planes& planes, const float* x, const float* spread,
                 std::int64_t spread_stride, std::int64_t r0, std::int64_t s0,
                 std::int64_t kernel_w, float* dweight) {
    FloatVector sums[R][S] = {};
    const float* even = x + r0 * planes.row_floats() + planes.offset(s0);  // seen from s0
    const float* odd = x + r0 * planes.row_floats() + planes.offset(s0 + 1);
    for (std::int64_t i = 0; i < planes.pooled_h; ++i) {
        const float* gradients = spread + i * 4 * spread_stride;
        for (std::int64_t j = 0; j < planes.pooled_w; j += vector_lanes) {
            FloatVector g[4];
            for (int q = 0; q < 4; ++q) {
                g[q] = load_once(gradients + q * spread_stride + j);
            }
            const std::int64_t at = 2 * i * planes.row_floats() + j;
#pragma GCC unroll 16
            for (int row = 0; row <= R; ++row) {
#pragma GCC unroll 16
                for (int column = 0; column <= S; ++column) {
                    const float* from = (column % 2 == 0 ? even : odd) + column / 2;
                    const FloatVector value = load_once(from + at + row * planes.row_floats());
                    // This input meets tap (row - di, column - dj) for the winner at (di, dj).
#pragma GCC unroll 4
                    for (int q = 0; q < 4; ++q) {
                        const int r = row - q / 2;
                        const int s = column - q % 2;
                        if (r >= 0 && r < R && s >= 0 && s < S) {
                            sums[r][s] += g[q] * value;
                        }
                    }
                }
            }
        }
    }
    for (int r = 0; r < R; ++r) {
        for (int s = 0; s < S; ++s) {
            dweight[(r0 + r) * kernel_w + s0 + s] += sum_of(sums[r][s]);
        }
    }
}

// The same taps of all filters, for one pooled row of dx. spread: [K, 4, spread_stride]; weight:
// the first filter's taps of this channel; dx: this channel's planes at row 2 * i.
template <int R, int S>
void add_dx(const Planes& planes, const float* spread, std::int64_t spread_stride,
            const float* weight, std::int64_t filters, std::int64_t filter_floats, std::int64_t r0,
            std::int64_t s0, std::int64_t kernel_w, float* dx) {
    for (std::int64_t j = 0; j < planes.pooled_w; j += vector_lanes) {
        for (int di = 0; di < 2; ++di) {
            FloatVector sums[R][S + 1] = {};
            const float* w = weight + r0 * kernel_w + s0;
            const float* g = spread + 2 * di * spread_stride + j;
            for (std::int64_t k = 0; k < filters; ++k) {
                const FloatVector left = load_once(g);
                const FloatVector right = load_once(g + spread_stride);
#pragma GCC unroll 8
                for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
                    for (int s = 0; s < S; ++s) {
                        const FloatVector tap = broadcast(w[r * kernel_w + s]);
                        sums[r][s] += left * tap;
                        sums[r][s + 1] += right * tap;
                    }
                }
                w += filter_floats;
                g += 4 * spread_stride;
            }
            for (int r = 0; r < R; ++r) {
                for (int s = 0; s <= S; ++s) {
                    float* at =
                        dx + (r0 + r + di) * planes.row_floats() + planes.offset(s0 + s) + j;
                    store(at, load(at) + sums[r][s]);
                }
            }
        }
    }
}

// Calls tap_block<R, S>(r0, s0) on blocks that cover the kernel.
template <class Body>
void for_each_tap_block(std::int64_t kernel_h, std::int64_t kernel_w, const Body& body) {
    if (kernel_h == 3 && kernel_w == 3) {
        body.template operator()<3, 3>(0, 0);
        return;
    }
    for (std::int64_t r = 0; r < kernel_h; ++r) {
        switch (kernel_w) {
            case 3:
                body.template operator()<1, 3>(r, 0);
                break;
            case 5:
                body.template operator()<1, 5>(r, 0);
                break;
            case 7:
                body.template operator()<1, 7>(r, 0);
                break;
            default:
                for (std::int64_t s = 0; s < kernel_w; ++s) {
                    body.template operator()<1, 1>(r, s);
                }
        }
    }
}

}  // namespace trainscope::cpu::fused
