// SPDX-License-Identifier: GPL-3.0-or-later
// How a product is shared out: tiles for blocks, and where those are too few to fill a device,
// parts of the depth, whose sums a second kernel adds in one order. A classifier's 10 columns are
// one tile, however deep; so is its weight gradient, whose depth is the batch.
#pragma once

#include <algorithm>

#include "engine/cuda/gemm/operand.h"

namespace trainscope::cuda::gemm {

// What rungs with tiles of `tile_side` x `tile_side` results have in common. They hide what they do
// otherwise.
template <unsigned tile_side>
struct Tiles {
    static constexpr unsigned tile = tile_side;  // results of a block, each way

    static std::int64_t tiles(std::int64_t rows, std::int64_t columns) {
        return ((rows + tile - 1) / tile) * ((columns + tile - 1) / tile);
    }
    // How many blocks have something to do in a product.
    static std::int64_t blocks(std::int64_t rows, std::int64_t columns, std::int64_t /*depth*/) {
        return tiles(rows, columns);
    }
    // What run() needs.
    static std::int64_t workspace_bytes(std::int64_t /*rows*/, std::int64_t /*columns*/,
                                        std::int64_t /*depth*/) {
        return 0;
    }
};

struct Parts {
    std::int64_t count;
    std::int64_t depth;  // of each; the last may have less
};

// The same on every device, so that results are.
inline Parts parts_of(std::int64_t tiles, std::int64_t depth) {
    constexpr std::int64_t blocks = 256;
    constexpr std::int64_t least = 128;  // deep enough to be worth the writing of its sums
    const std::int64_t most = std::clamp<std::int64_t>(blocks / tiles, 1, depth / least + 1);
    const std::int64_t each = ((depth + most - 1) / most + 31) / 32 * 32;  // whole slices
    return {(depth + each - 1) / each, each};
}

// The sums of each part, [count, rows, columns].
struct PartRows {
    float* data;
    std::int64_t rows, columns;
    bool fours;
};
inline PartRows part_rows(void* workspace, std::int64_t rows, std::int64_t columns) {
    auto* const data = static_cast<float*>(workspace);
    return {data, rows, columns, in_fours(data, columns, columns)};
}

// Where a part of the depth writes.
__device__ inline Rows result_of(const PartRows& c, std::int64_t part) {
    return {c.data + part * c.rows * c.columns,
            c.rows,
            c.columns,
            nullptr,
            false,
            c.fours};  // a part's size is whole groups of four if its rows are
}
template <class Result>
__device__ const Result& result_of(const Result& c, std::int64_t /*part*/) {
    return c;
}

template <class Result>
__global__ void add_parts(PartRows sums, std::int64_t parts, Result c) {
    const std::int64_t size = sums.rows * sums.columns;
    for (std::int64_t i = global_thread(); i < size; i += grid_threads()) {
        float sum = sums.data[i];
        for (std::int64_t part = 1; part < parts; ++part) {
            sum += sums.data[part * size + i];
        }
        c.put(i / sums.columns, i % sums.columns, sum);
    }
}

}  // namespace trainscope::cuda::gemm
