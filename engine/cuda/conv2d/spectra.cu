// SPDX-License-Identifier: GPL-3.0-or-later
// The products are of 4 x 4 spectra a thread, at one frequency: neighbouring threads have
// neighbouring frequencies, so that all accesses are of whole lines, and each value that is loaded
// takes part in four products.
#include "engine/cuda/conv2d/spectra.h"

namespace trainscope::cuda::conv2d {
namespace {

constexpr unsigned threads = 128;
constexpr int tile = 4;

// A transformed plane as kernels want it.
struct Size {
    int height, width, pitch, floats;
};
Size size_of(const TransformedPlane& plane) {
    return {plane.height, plane.width, plane.pitch(), static_cast<int>(plane.floats())};
}

__global__ void write(Size t, Placed placed, std::int64_t planes, const float* from, float* to) {
    for (std::int64_t plane = blockIdx.y; plane < planes; plane += gridDim.y) {
        const float* const values = from + plane * placed.height * placed.width;
        for (int i = static_cast<int>(global_thread()); i < t.floats;
             i += static_cast<int>(grid_threads())) {
            const int row = i / t.pitch;
            const int column = i - row * t.pitch;
            const int h = row + placed.up - (row + placed.up >= t.height ? t.height : 0);
            const int w = column + placed.left - (column + placed.left >= t.width ? t.width : 0);
            const bool inside = column < t.width && h < placed.height && w < placed.width;
            to[plane * t.floats + i] = inside ? values[h * placed.width + w] : 0.0F;
        }
    }
}

__global__ void read(Size t, Placed placed, std::int64_t planes, const float* from, Finish finish,
                     float* to) {
    const int size = placed.height * placed.width;
    for (std::int64_t plane = blockIdx.y; plane < planes; plane += gridDim.y) {
        const float* const values = from + plane * t.floats;
        const float bias = finish.bias == nullptr ? 0.0F : finish.bias[plane % finish.channels];
        for (int i = static_cast<int>(global_thread()); i < size;
             i += static_cast<int>(grid_threads())) {
            const int h = i / placed.width - placed.up;
            const int w = i % placed.width - placed.left;
            const float value =
                values[(h < 0 ? h + t.height : h) * t.pitch + (w < 0 ? w + t.width : w)];
            float* const place = to + plane * size + i;
            *place = finish.scale * value + bias + (finish.accumulate ? *place : 0.0F);
        }
    }
}

// The four spectra of a factor's tile; those behind its last line are its last line again.
struct Lines {
    const float2* of[tile];

    __device__ Lines(const SpectraProduct::Factor& factor, int frequencies, std::int64_t group,
                     int first, int count) {
        TRAINSCOPE_UNROLL
        for (int i = 0; i < tile; ++i) {
            const int line = min(first + i, count - 1);
            of[i] = reinterpret_cast<const float2*>(factor.data) +
                    (group * factor.group + line * factor.line) * frequencies;
        }
    }
};

struct Tile {
    float2 sums[tile][tile];

    __device__ void add(const float2 (&a)[tile], const float2 (&b)[tile]) {
        TRAINSCOPE_UNROLL
        for (int i = 0; i < tile; ++i) {
            TRAINSCOPE_UNROLL
            for (int j = 0; j < tile; ++j) {
                sums[i][j].x += a[i].x * b[j].x;
                sums[i][j].x -= a[i].y * b[j].y;
                sums[i][j].y += a[i].x * b[j].y;
                sums[i][j].y += a[i].y * b[j].x;
            }
        }
    }
};

// At one frequency.
__device__ void multiply_tile(const SpectraProduct& p, int frequencies, int frequency,
                              std::int64_t group, int line, int column) {
    const Lines a(p.a, frequencies, group, line, p.lines);
    const Lines b(p.b, frequencies, group, column, p.columns);
    const float sign = p.conjugate_b ? -1.0F : 1.0F;
    Tile all = {};
    for (int term = 0; term < p.terms; ++term) {
        const std::int64_t of_a = term * p.a.term * frequencies + frequency;
        const std::int64_t of_b = term * p.b.term * frequencies + frequency;
        float2 left[tile];
        float2 right[tile];
        TRAINSCOPE_UNROLL
        for (int i = 0; i < tile; ++i) {
            left[i] = a.of[i][of_a];
            right[i] = b.of[i][of_b];
            right[i].y *= sign;
        }
        all.add(left, right);
    }
    TRAINSCOPE_UNROLL
    for (int i = 0; i < tile; ++i) {
        TRAINSCOPE_UNROLL
        for (int j = 0; j < tile; ++j) {
            if (line + i < p.lines && column + j < p.columns) {
                const std::int64_t spectrum =
                    group * p.c_group + (line + i) * p.c_line + (column + j) * p.c_column;
                float2* const to =
                    reinterpret_cast<float2*>(p.c) + spectrum * frequencies + frequency;
                const float2 before = p.accumulate ? *to : make_float2(0, 0);
                *to = make_float2(before.x + all.sums[i][j].x, before.y + all.sums[i][j].y);
            }
        }
    }
}

__global__ void __launch_bounds__(threads) multiply(SpectraProduct p, int frequencies) {
    const int lines = (p.lines + tile - 1) / tile;
    const int columns = (p.columns + tile - 1) / tile;
    const std::int64_t tiles = std::int64_t{p.groups} * lines * columns;
    for (std::int64_t at = blockIdx.y; at < tiles; at += gridDim.y) {
        const std::int64_t of_lines = at / columns;
        const std::int64_t group = of_lines / lines;
        const int line = static_cast<int>(of_lines - group * lines) * tile;
        const int column = static_cast<int>(at - of_lines * columns) * tile;
        for (int frequency = static_cast<int>(global_thread()); frequency < frequencies;
             frequency += static_cast<int>(grid_threads())) {
            multiply_tile(p, frequencies, frequency, group, line, column);
        }
    }
}

dim3 blocks_of(std::int64_t across, std::int64_t down) {
    return {blocks_for(across, threads), blocks_for(down, 1), 1};
}

}  // namespace

void write_planes(cudaStream_t stream, const TransformedPlane& plane, const Placed& placed,
                  std::int64_t planes, const float* from, float* to) {
    launch(on(stream, blocks_of(plane.floats(), planes), threads), write, size_of(plane), placed,
           planes, from, to);
}

void read_planes(cudaStream_t stream, const TransformedPlane& plane, const Placed& placed,
                 std::int64_t planes, const float* from, const Finish& finish, float* to) {
    launch(on(stream, blocks_of(std::int64_t{placed.height} * placed.width, planes), threads), read,
           size_of(plane), placed, planes, from, finish, to);
}

void multiply_spectra(cudaStream_t stream, const TransformedPlane& plane,
                      const SpectraProduct& product) {
    const int frequencies = static_cast<int>(plane.floats() / 2);
    const auto tiles = [](int count) { return (count + tile - 1) / tile; };
    launch(on(stream,
              blocks_of(frequencies, std::int64_t{product.groups} * tiles(product.lines) *
                                         tiles(product.columns)),
              threads),
           multiply, product, frequencies);
}

}  // namespace trainscope::cuda::conv2d
