// SPDX-License-Identifier: GPL-3.0-or-later
// What a matrix kernel reads and writes. A product is C[row, column] = sum over k of A(row, k) *
// B(column, k): both factors are seen as lines along the depth, a line being a row of C for A and a
// column of C for B. How a factor lies in memory is its own affair, so that a convolution's patches
// can stand where a dense layer's matrix does.
//
// A factor has: `lines` and `depth`; `along_depth`, whether neighbours in memory are neighbours
// along k; `at(line, k)`, 0 outside; `four(line, k)`, four neighbours in memory from there on.
// A result has: `rows`, `columns`; `put(row, column, sum)` and `put_four`, both for places inside;
// `part(first)`, the result that takes the sums of the depth from `first` on: the first one's are
// put as if they were all, the others' are added (long_sum.h).
#pragma once

#include "engine/cuda/launch.h"
#include "engine/cuda/long_sum.h"

namespace trainscope::cuda::gemm {

// Whether rows of `length` values, `stride` apart, can be read in whole groups of four at 16 bytes.
inline bool in_fours(const float* data, std::int64_t length, std::int64_t stride) {
    return reinterpret_cast<std::uintptr_t>(data) % sizeof(float4) == 0 && length % 4 == 0 &&
           stride % 4 == 0;
}

// The four values at `place`, of which `inside` are there: the others are 0.
__device__ __forceinline__ float4 four_at(const float* place, std::int64_t inside, bool fours) {
    if (fours) {
        return inside > 0 ? *reinterpret_cast<const float4*>(place) : make_float4(0, 0, 0, 0);
    }
    return make_float4(inside > 0 ? place[0] : 0.0F, inside > 1 ? place[1] : 0.0F,
                       inside > 2 ? place[2] : 0.0F, inside > 3 ? place[3] : 0.0F);
}

// Lines are rows in memory: A of A * B, B of A * B^T.
struct AlongDepth {
    static constexpr bool along_depth = true;
    const float* data;
    std::int64_t lines, depth;
    bool fours;  // four() may read 128 bits at once

    __device__ float at(std::int64_t line, std::int64_t k) const {
        return line < lines && k < depth ? data[line * depth + k] : 0.0F;
    }
    __device__ __forceinline__ float4 four(std::int64_t line, std::int64_t k) const {
        return four_at(data + (line * depth + k), line < lines ? depth - k : 0, fours);
    }
};
inline AlongDepth along_depth(const float* data, std::int64_t lines, std::int64_t depth) {
    return {data, lines, depth, in_fours(data, depth, depth)};
}

// Lines are columns in memory: B of A * B, A of A^T * B.
struct AlongLines {
    static constexpr bool along_depth = false;
    const float* data;
    std::int64_t lines, depth;
    bool fours;

    __device__ float at(std::int64_t line, std::int64_t k) const {
        return line < lines && k < depth ? data[k * lines + line] : 0.0F;
    }
    __device__ __forceinline__ float4 four(std::int64_t line, std::int64_t k) const {
        return four_at(data + (k * lines + line), k < depth ? lines - line : 0, fours);
    }
};
inline AlongLines along_lines(const float* data, std::int64_t lines, std::int64_t depth) {
    return {data, lines, depth, in_fours(data, lines, lines)};
}

// C [rows, columns] in row-major order, with a bias for each column if there is one.
struct Rows {
    float* data;
    std::int64_t rows, columns;
    const float* bias;
    bool accumulate;  // add to what is there
    bool fours;

    __device__ Rows part(std::int64_t first) const {
        return first == 0 ? *this : Rows{data, rows, columns, nullptr, true, fours};
    }
    __device__ void put(std::int64_t row, std::int64_t column, float sum) const {
        float* const place = data + row * columns + column;
        const float value = bias == nullptr ? sum : sum + bias[column];
        *place = accumulate ? *place + value : value;
    }
    // Of which those inside are put; the first is.
    __device__ void put_four(std::int64_t row, std::int64_t column, float4 sums) const {
        if (!fours) {
            const float all[4] = {sums.x, sums.y, sums.z, sums.w};
            for (int i = 0; i < 4 && column + i < columns; ++i) {
                put(row, column + i, all[i]);
            }
            return;
        }
        const auto add = [&sums](float4 more) {
            sums = make_float4(sums.x + more.x, sums.y + more.y, sums.z + more.z, sums.w + more.w);
        };
        auto* const place = reinterpret_cast<float4*>(data + row * columns + column);
        if (bias != nullptr) {
            add(make_float4(bias[column], bias[column + 1], bias[column + 2], bias[column + 3]));
        }
        if (accumulate) {
            add(*place);
        }
        *place = sums;
    }
};
inline Rows rows_of(float* data, std::int64_t rows, std::int64_t columns,
                    const float* bias = nullptr, bool accumulate = false) {
    return {data, rows, columns, bias, accumulate, in_fours(data, columns, columns)};
}

}  // namespace trainscope::cuda::gemm
