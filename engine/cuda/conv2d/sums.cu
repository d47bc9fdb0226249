// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/cuda/conv2d/sums.h"
#include "engine/cuda/warp.h"

namespace trainscope::cuda::conv2d {

namespace {

constexpr std::int64_t most_parts = 512;
constexpr std::int64_t most_partials = std::int64_t{1} << 22;  // floats, 16 MiB
// A thread adds up the sums of as many rows without a tree.
constexpr std::int64_t most_rows = 4096;

constexpr unsigned bias_threads = 128;
constexpr unsigned lanes = 32;  // results of a block of sum_parts
constexpr unsigned depth = 8;   // threads that add up one of them

// One block a channel and part.
__global__ void sum_channels(Geometry g, Splits splits, const float* dy, float* partial) {
    const std::int64_t terms = g.n * g.out_h * g.out_w;
    for (std::int64_t part = blockIdx.y; part < splits.parts; part += gridDim.y) {
        const std::int64_t begin = part * splits.rows * g.out_w;
        const std::int64_t end = min(begin + splits.rows * g.out_w, terms);
        for (int k = static_cast<int>(blockIdx.x); k < g.k; k += static_cast<int>(gridDim.x)) {
            float sum = 0;
            for (std::int64_t i = begin + threadIdx.x; i < end; i += bias_threads) {
                const std::int64_t n = i / g.out_plane();
                sum += dy[(n * g.k + k) * g.out_plane() + (i - n * g.out_plane())];
            }
            sum = block_sum<float, bias_threads>(sum);
            if (threadIdx.x == 0) {
                partial[part * g.k + k] = sum;
            }
        }
    }
}

// partial [parts, count] -> sums [count].
__global__ void sum_parts(const float* partial, std::int64_t parts, std::int64_t count, float* sums,
                          bool accumulate) {
    TRAINSCOPE_SHARED(float, of_rows, [depth][lanes]);
    const unsigned x = threadIdx.x;
    const unsigned y = threadIdx.y;
    for (std::int64_t first = blockIdx.x * std::int64_t{lanes}; first < count;
         first += gridDim.x * std::int64_t{lanes}) {
        const std::int64_t i = first + x;
        float sum = 0;
        for (std::int64_t part = y; i < count && part < parts; part += depth) {
            sum += partial[part * count + i];
        }
        of_rows[y][x] = sum;
        __syncthreads();
        for (unsigned half = depth / 2; half > 0; half /= 2) {
            if (y < half) {
                of_rows[y][x] += of_rows[y + half][x];
            }
            __syncthreads();
        }
        if (y == 0 && i < count) {
            sums[i] = accumulate ? sums[i] + of_rows[0][x] : of_rows[0][x];
        }
        __syncthreads();  // before the next results' sums are written
    }
}

}  // namespace

Splits split_rows(std::int64_t rows, std::int64_t columns, std::int64_t weights,
                  std::int64_t terms) {
    const auto divide = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    const std::int64_t affordable =
        std::clamp(most_partials / weights, std::int64_t{1}, most_parts);
    const std::int64_t wanted = std::min({divide(rows * columns, terms), affordable, rows});
    const std::int64_t of_part = divide(rows, std::max(wanted, divide(rows, most_rows)));
    return {.rows = of_part, .parts = divide(rows, of_part)};
}

Splits splits_of(const Conv2d::Shape& shape, std::int64_t terms) {
    return split_rows(shape.n * shape.out_h(), shape.out_w(), shape.weight_elements(), terms);
}

std::int64_t partial_bytes(const Conv2d::Shape& shape, const Splits& splits) {
    return splits.parts * (shape.weight_elements() + (shape.bias ? shape.k : 0)) *
           static_cast<std::int64_t>(sizeof(float));
}

void add_parts(cudaStream_t stream, const float* partial, std::int64_t parts, std::int64_t count,
               float* sums, bool accumulate) {
    launch(on(stream, blocks_for(count, lanes), dim3(lanes, depth)), sum_parts, partial, parts,
           count, sums, accumulate);
}

void sum_bias_gradient(cudaStream_t stream, const Geometry& geometry, const Splits& splits,
                       const Conv2d::Backward& args, float* partial) {
    launch(on(stream, dim3(blocks_for(geometry.k, 1), blocks_for(splits.parts, 1)), bias_threads),
           sum_channels, geometry, splits, args.dy, partial);
    add_parts(stream, partial, splits.parts, geometry.k, args.dbias, args.accumulate);
}

void finish_gradients(cudaStream_t stream, const Geometry& geometry, const Splits& splits,
                      const Conv2d::Backward& args, float* partial) {
    add_parts(stream, partial, splits.parts, geometry.weights, args.dweight, args.accumulate);
    if (args.dbias != nullptr) {
        sum_bias_gradient(stream, geometry, splits, args,
                          partial + splits.parts * geometry.weights);
    }
}

}  // namespace trainscope::cuda::conv2d
