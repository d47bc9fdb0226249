// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix products for kernels that bring their own layouts: a tile of the result is held in
// registers while the depth passes, and the depth is cut into blocks that stay in the cache. The
// caller says where rows lie, so that one source serves packed, shifted and scattered matrices.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/cpu/vector.h"

namespace trainscope::cpu {

// A tile's sums, its row of b and one value of a fill the registers there are.
inline constexpr int tile_rows = vector_lanes == 16 ? 8 : 4;
inline constexpr int tile_vectors = 2;
inline constexpr std::int64_t tile_columns = tile_vectors * vector_lanes;
inline constexpr std::int64_t depth_block = 256;

constexpr std::int64_t round_up(std::int64_t count, std::int64_t multiple) {
    return (count + multiple - 1) / multiple * multiple;
}

// Rows of a matrix at any places.
struct ScatteredRows {
    float* base;
    const std::int64_t* offsets;
    float* operator()(std::int64_t row) const { return base + offsets[row]; }
};
// Rows at equal distances.
struct EvenRows {
    float* base;
    std::int64_t stride;
    float* operator()(std::int64_t row) const { return base + row * stride; }
};

// A matrix in panels of tile_rows rows, each panel with its rows' values side by side.
constexpr std::int64_t packed_floats(std::int64_t rows, std::int64_t depth) {
    return round_up(rows, tile_rows) * depth;
}
// value(row, depth) is the matrix.
template <class Value>
void pack(std::int64_t rows, std::int64_t depth, const Value& value, float* to) {
    for (std::int64_t row = 0; row < round_up(rows, tile_rows); ++row) {
        float* panel = to + row / tile_rows * tile_rows * depth + row % tile_rows;
        for (std::int64_t k = 0; k < depth; ++k) {
            panel[k * tile_rows] = row < rows ? value(row, k) : 0.0F;
        }
    }
}
struct PackedRows {
    const float* floats;
    std::int64_t depth;  // of the whole matrix

    // The tile's values from a row, a multiple of tile_rows, and a depth on.
    auto tile(std::int64_t row, std::int64_t k) const {
        return [at = floats + row * depth + k * tile_rows](int i, std::int64_t step) {
            return at[step * tile_rows + i];
        };
    }
};
// The same for rows that lie somewhere and are not packed.
template <class Rows>
struct PlainRows {
    Rows rows;

    auto tile(std::int64_t row, std::int64_t k) const {
        return [r = rows, row, k](int i, std::int64_t step) { return r(row + i)[k + step]; };
    }
};

// c(i) (+)= sum over k < depth of a(i, k) * b(k), for Vectors vectors of columns.
template <int Rows, int Vectors, class A, class B, class C>
[[gnu::always_inline]] inline void multiply_tile(std::int64_t depth, const A& a, const B& b,
                                                 const C& c, bool add) {
    FloatVector sums[Rows][Vectors] = {};
    for (std::int64_t k = 0; k < depth; ++k) {
        const float* row = b(k);
        FloatVector values[Vectors];
        for (int v = 0; v < Vectors; ++v) {
            values[v] = load_once(row + v * vector_lanes);
        }
        for (int i = 0; i < Rows; ++i) {
            const FloatVector factor = broadcast(a(i, k));
            for (int v = 0; v < Vectors; ++v) {
                sums[i][v] += factor * values[v];
            }
        }
    }
    // Row by row: rows of c may overlap.
    for (int i = 0; i < Rows; ++i) {
        float* to = c(i);
        for (int v = 0; v < Vectors; ++v) {
            float* at = to + v * vector_lanes;
            store(at, add ? load(at) + sums[i][v] : sums[i][v]);
        }
    }
}

namespace detail {

// One column of tiles: all rows, the last ones in tiles of half, a quarter, ... as many.
template <int Rows, int Vectors, class A, class B, class C>
void multiply_rows(std::int64_t first, std::int64_t rows, std::int64_t depth, std::int64_t k,
                   const A& a, const B& b, const C& c, bool add) {
    for (; first + Rows <= rows; first += Rows) {
        multiply_tile<Rows, Vectors>(
            depth,
            [tile = a.tile(first / tile_rows * tile_rows, k), skip = int(first % tile_rows)](
                int i, std::int64_t step) { return tile(skip + i, step); },
            b, [&](int i) { return c(first + i); }, add);
    }
    if constexpr (Rows > 1) {
        multiply_rows<Rows / 2, Vectors>(first, rows, depth, k, a, b, c, add);
    }
}

}  // namespace detail

// c (+)= a * b for `rows` rows of c and `columns` columns. Columns are worked on in whole vectors:
// rows of b and c must have room for columns up to a multiple of tile_columns (of vector_lanes
// where no more than vector_lanes are left).
// Rows of c may overlap when `add` is set, and then see each other's sums.
template <class A, class B, class C>
void multiply(std::int64_t rows, std::int64_t depth, std::int64_t columns, const A& a, const B& b,
              const C& c, bool add) {
    for (std::int64_t k = 0; k < depth; k += depth_block) {
        const std::int64_t steps = std::min(depth_block, depth - k);
        const bool sum = add || k > 0;
        for (std::int64_t column = 0; column < columns; column += tile_columns) {
            const auto from = [&b, k, column](std::int64_t step) { return b(k + step) + column; };
            const auto to = [&c, column](std::int64_t row) { return c(row) + column; };
            if (columns - column > vector_lanes) {
                detail::multiply_rows<tile_rows, 2>(0, rows, steps, k, a, from, to, sum);
            } else {
                detail::multiply_rows<tile_rows, 1>(0, rows, steps, k, a, from, to, sum);
            }
        }
    }
}

// to[column][row] = from[row][column]. Works on blocks of 4 x 4: both need rows and columns up to
// multiples of four.
void transpose(const float* from, std::int64_t from_stride, std::int64_t rows, std::int64_t columns,
               float* to, std::int64_t to_stride);

}  // namespace trainscope::cpu
