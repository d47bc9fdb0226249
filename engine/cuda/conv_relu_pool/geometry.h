// SPDX-License-Identifier: GPL-3.0-or-later
// What the passes of the fused convolution share: its shape as kernels want it, and how results are
// cut into tiles.
#pragma once

#include "engine/cuda/conv2d/geometry.h"
#include "engine/ops/conv_relu_pool.h"

namespace trainscope::cuda::conv_relu_pool {

// The convolution, of stride 1 and one group, and the planes after pooling by 2x2.
struct Geometry : conv2d::Geometry {
    int pooled_h, pooled_w;

    __device__ int pooled_plane() const { return pooled_h * pooled_w; }
    __device__ std::int64_t pooled_sample() const { return std::int64_t{k} * pooled_plane(); }
};

inline Geometry geometry_of(const ConvReluPool::Shape& shape) {
    return {conv2d::geometry_of(shape.conv), static_cast<int>(shape.pool.out_h()),
            static_cast<int>(shape.pool.out_w())};
}

inline constexpr std::int64_t shared_floats = 48 * 1024 / sizeof(float);

// A pooled value's gradient, and the place of its winner: which of the four it is, or where in
// shared memory what it meets lies.
struct alignas(8) Winner {
    float dy;
    int place;
};
// Of a window outside of everything: adds nothing.
inline constexpr Winner no_winner{0.0F, 0};

__device__ inline Winner winner_at(const float* dy, const std::uint8_t* index, std::int64_t at) {
    return index[at] == ConvReluPool::inactive ? no_winner : Winner{dy[at], index[at]};
}

// How the results are cut up: `planes` of them, down x across values each, for a block.
struct Tiling {
    int planes, down, across;
    int plane_tiles, tiles_down, tiles_across;

    __host__ __device__ std::int64_t tiles(std::int64_t n) const {
        return n * plane_tiles * tiles_down * tiles_across;
    }
    dim3 threads() const { return {static_cast<unsigned>(across), static_cast<unsigned>(down)}; }
};

// Tiles of at most `longest` a side, smaller ones where planes are.
inline Tiling tiling_of(int planes, int height, int width, int planes_a_block, int longest_down,
                        int longest_across) {
    const auto side = [](int length, int longest) {
        while (longest / 2 >= length) {
            longest /= 2;
        }
        return longest;
    };
    const auto tiles = [](int length, int tile) { return (length + tile - 1) / tile; };
    const int down = side(height, longest_down);
    const int across = side(width, longest_across);
    return {.planes = planes_a_block,
            .down = down,
            .across = across,
            .plane_tiles = tiles(planes, planes_a_block),
            .tiles_down = tiles(height, down),
            .tiles_across = tiles(width, across)};
}

struct Tile {
    std::int64_t n;
    int first_plane, top, left;

    __device__ Tile(const Tiling& tiling, std::int64_t index) {
        left = static_cast<int>(index % tiling.tiles_across) * tiling.across;
        index /= tiling.tiles_across;
        top = static_cast<int>(index % tiling.tiles_down) * tiling.down;
        index /= tiling.tiles_down;
        first_plane = static_cast<int>(index % tiling.plane_tiles) * tiling.planes;
        n = index / tiling.plane_tiles;
    }
};

}  // namespace trainscope::cuda::conv_relu_pool
