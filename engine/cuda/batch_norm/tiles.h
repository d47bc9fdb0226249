// SPDX-License-Identifier: GPL-3.0-or-later
// A channel cut into parts, one a block, whose values are taken one or four at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "engine/cuda/batch_norm/variant.h"
#include "engine/cuda/batch_norm/walk.h"
#include "engine/cuda/vector.h"

namespace trainscope::cuda::batch_norm {

inline constexpr unsigned tile_threads = 256;
inline constexpr std::int64_t most_parts = tile_threads;  // when merging, a thread takes one
inline constexpr std::int64_t blocks_wanted = 1024;  // some for each multiprocessor of a large card
// At least so many values a part: one load a thread.
inline constexpr std::int64_t values_of_part = std::int64_t{vector_width} * tile_threads;

// How many parts a channel is cut into: depends on nothing but the shape.
inline std::int64_t parts_of(const BatchNorm::Shape& shape) {
    const auto ratio = [](std::int64_t all, std::int64_t each) { return (all + each - 1) / each; };
    return std::max<std::int64_t>(1, std::min({most_parts, ratio(blocks_wanted, shape.c),
                                               ratio(shape.values_per_channel(), values_of_part)}));
}

// Whether planes start and end between vectors.
inline bool can_load_vectors(const BatchNorm::Shape& shape,
                             std::initializer_list<const float*> tensors) {
    return shape.h * shape.w % vector_width == 0 && are_aligned(tensors);
}

// A part of a channel. Tile t is part t / C of channel t % C: blocks next to each other work on
// neighbouring memory.
struct Tile {
    std::int64_t channel;
    std::int64_t part;
};
__device__ inline Tile tile_at(const BatchNorm::Shape& shape, std::int64_t tile) {
    return {tile % shape.c, tile / shape.c};
}
template <unsigned width>
__device__ std::int64_t start_of_part(const BatchNorm::Shape& shape, std::int64_t part,
                                      std::int64_t parts) {
    return values_of_channel(shape) / width * part / parts;
}
template <unsigned width>
__device__ Walk walk(const BatchNorm::Shape& shape, const Tile& tile, std::int64_t parts) {
    return {shape,
            {.channel = tile.channel,
             .first = start_of_part<width>(shape, tile.part, parts) + threadIdx.x,
             .end = start_of_part<width>(shape, tile.part + 1, parts),
             .step = tile_threads,
             .width = width}};
}

}  // namespace trainscope::cuda::batch_norm
