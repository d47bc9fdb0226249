// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/conv2d/rung.h"
#include "engine/cuda/conv2d/windows.h"

namespace trainscope::cuda::conv2d {

namespace {

constexpr unsigned threads = 256;

// x [samples, C, H, W] -> matrix [samples, C * R * S, OH * OW]; one thread an element.
__global__ void write(Geometry g, std::int64_t samples, const float* x, float* matrix) {
    const std::int64_t of_sample = std::int64_t{g.c} * g.taps() * g.out_plane();
    for (std::int64_t i = global_thread(); i < samples * of_sample; i += grid_threads()) {
        const std::int64_t line = i / g.out_plane();  // sample, channel and tap
        const int p = static_cast<int>(i - line * g.out_plane());
        const std::int64_t plane = line / g.taps();
        const int tap = static_cast<int>(line - plane * g.taps());
        const int h = p / g.out_w * g.stride_h - g.pad_h + tap / g.s;
        const int w = p % g.out_w * g.stride_w - g.pad_w + tap % g.s;
        const bool inside = h >= 0 && h < g.h && w >= 0 && w < g.w;
        matrix[i] = inside ? x[plane * g.plane() + h * g.w + w] : 0.0F;
    }
}

// col2im: the sum of what the matrix holds for each input; one thread an input.
__global__ void add_up(Geometry g, std::int64_t samples, const float* matrix, float* dx) {
    for (std::int64_t i = global_thread(); i < samples * g.sample(); i += grid_threads()) {
        const std::int64_t plane = i / g.plane();
        const int at = static_cast<int>(i - plane * g.plane());
        const int row = at / g.w + g.pad_h;
        const int column = at % g.w + g.pad_w;
        const Span rows = windows_over(row, g.r, g.stride_h, g.out_h);
        const Span columns = windows_over(column, g.s, g.stride_w, g.out_w);
        const float* const lines = matrix + plane * g.taps() * g.out_plane();
        float sum = 0;
        for (int oh = rows.begin; oh < rows.end; ++oh) {
            for (int ow = columns.begin; ow < columns.end; ++ow) {
                const int tap = (row - oh * g.stride_h) * g.s + column - ow * g.stride_w;
                sum += lines[static_cast<std::int64_t>(tap) * g.out_plane() + oh * g.out_w + ow];
            }
        }
        dx[i] = sum;
    }
}

}  // namespace

void write_windows(cudaStream_t stream, const Geometry& geometry, std::int64_t samples,
                   const float* x, float* matrix) {
    const std::int64_t size =
        samples * geometry.c * geometry.r * geometry.s * geometry.out_h * geometry.out_w;
    launch(on(stream, blocks_for(size, threads), threads), write, geometry, samples, x, matrix);
}

void sum_windows(cudaStream_t stream, const Geometry& geometry, std::int64_t samples,
                 const float* matrix, float* dx) {
    const std::int64_t size = samples * geometry.c * geometry.h * geometry.w;
    launch(on(stream, blocks_for(size, threads), threads), add_up, geometry, samples, matrix, dx);
}

Splits splits_of_samples(const Conv2d::Shape& shape) {
    const std::int64_t rows = shape.n * shape.out_h();
    const std::int64_t wanted = splits_of(shape).rows;
    const std::int64_t of_part = (wanted + shape.out_h() - 1) / shape.out_h() * shape.out_h();
    return {.rows = of_part, .parts = (rows + of_part - 1) / of_part};
}

std::int64_t samples_at_once(const Conv2d::Shape& shape) {
    const std::int64_t of_part = splits_of_samples(shape).rows / shape.out_h();
    const std::int64_t wanted = workspace_floats / windows_of_sample(shape);
    return std::min(shape.n, std::max(wanted / of_part, std::int64_t{1}) * of_part);
}

}  // namespace trainscope::cuda::conv2d
