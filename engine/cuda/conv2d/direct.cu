// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution `direct`: the first rung, the definition itself. One thread an output on the way
// forward, one an input for dx, which gathers from the windows that hold it, and one a weight and
// part of the rows for dweight; no atomics, so each sum has one order. Sums are made of sums of a
// channel or a row.
// Bound by loads: two for each multiply-add, most of them from the caches. Refuses nothing that a
// device can hold.
#include "engine/cuda/conv2d/geometry.h"
#include "engine/cuda/conv2d/rung.h"
#include "engine/cuda/kernel.h"

namespace trainscope::cuda {
namespace {

using conv2d::Geometry;
using conv2d::Span;
using conv2d::Splits;

constexpr unsigned threads = 256;

__global__ void direct_forward(Geometry g, Conv2d::Forward args) {
    const std::int64_t outputs = g.n * g.out_sample();
    for (std::int64_t i = global_thread(); i < outputs; i += grid_threads()) {
        const std::int64_t n = i / g.out_sample();
        const int at = static_cast<int>(i - n * g.out_sample());
        const int k = at / g.out_plane();
        const int top = at / g.out_w % g.out_h * g.stride_h - g.pad_h;
        const int left = at % g.out_w * g.stride_w - g.pad_w;
        const Span rows = conv2d::taps_inside(top, g.r, g.h);
        const Span columns = conv2d::taps_inside(left, g.s, g.w);
        const float* x = args.x + n * g.sample() + k / g.group_k * g.group_c * g.plane();
        const float* weight = args.weight + k * g.group_c * g.taps();
        float sum = args.bias == nullptr ? 0.0F : args.bias[k];
        for (int c = 0; c < g.group_c; ++c, x += g.plane(), weight += g.taps()) {
            float of_channel = 0;
            for (int r = rows.begin; r < rows.end; ++r) {
                for (int s = columns.begin; s < columns.end; ++s) {
                    of_channel += x[(top + r) * g.w + left + s] * weight[r * g.s + s];
                }
            }
            sum += of_channel;
        }
        args.y[i] = sum;
    }
}

__global__ void direct_input_gradient(Geometry g, Conv2d::Backward args) {
    const std::int64_t inputs = g.n * g.sample();
    for (std::int64_t i = global_thread(); i < inputs; i += grid_threads()) {
        const std::int64_t n = i / g.sample();
        const int at = static_cast<int>(i - n * g.sample());
        const int c = at / g.plane();
        const int row = at / g.w % g.h + g.pad_h;
        const int column = at % g.w + g.pad_w;
        const Span rows = conv2d::windows_over(row, g.r, g.stride_h, g.out_h);
        const Span columns = conv2d::windows_over(column, g.s, g.stride_w, g.out_w);
        const int first_k = c / g.group_c * g.group_k;
        const float* dy = args.dy + n * g.out_sample() + first_k * g.out_plane();
        const float* weight = args.weight + (first_k * g.group_c + c % g.group_c) * g.taps();
        float sum = 0;
        for (int k = 0; k < g.group_k; ++k, dy += g.out_plane(), weight += g.group_c * g.taps()) {
            float of_filter = 0;
            for (int oh = rows.begin; oh < rows.end; ++oh) {
                const float* const taps = weight + (row - oh * g.stride_h) * g.s + column;
                for (int ow = columns.begin; ow < columns.end; ++ow) {
                    of_filter += dy[oh * g.out_w + ow] * taps[-ow * g.stride_w];
                }
            }
            sum += of_filter;
        }
        args.dx[i] = sum;
    }
}

// partial [parts, weights]: neighbouring threads have neighbouring weights and read the same dy.
__global__ void direct_weight_gradient(Geometry g, Splits splits, Conv2d::Backward args,
                                       float* partial) {
    const std::int64_t rows = g.n * g.out_h;
    const int step = static_cast<int>(gridDim.x * blockDim.x);
    for (std::int64_t part = blockIdx.y; part < splits.parts; part += gridDim.y) {
        const std::int64_t end = min((part + 1) * splits.rows, rows);
        for (int i = static_cast<int>(global_thread()); i < g.weights; i += step) {
            const int s = i % g.s;
            const int r = i / g.s % g.r;
            const int k = i / g.taps() / g.group_c;
            const int c = i / g.taps() % g.group_c + k / g.group_k * g.group_c;
            // The outputs whose tap s meets a value.
            const int first = s < g.pad_w ? (g.pad_w - s + g.stride_w - 1) / g.stride_w : 0;
            const int meet = g.w - 1 + g.pad_w - s;  // the last value, as seen from the tap
            const int last = meet < 0 ? 0 : min(meet / g.stride_w + 1, g.out_w);
            float sum = 0;
            for (std::int64_t row = part * splits.rows; row < end; ++row) {
                const std::int64_t n = row / g.out_h;
                const int oh = static_cast<int>(row - n * g.out_h);
                const int h = oh * g.stride_h - g.pad_h + r;
                if (h < 0 || h >= g.h) {
                    continue;
                }
                const float* const dy = args.dy + (n * g.k + k) * g.out_plane() + oh * g.out_w;
                const float* const x = args.x + (n * g.c + c) * g.plane() + h * g.w;
                float of_row = 0;
                for (int ow = first; ow < last; ++ow) {
                    of_row += dy[ow] * x[ow * g.stride_w - g.pad_w + s];
                }
                sum += of_row;
            }
            partial[part * g.weights + i] = sum;
        }
    }
}

class Direct final : public conv2d::Rung {
  public:
    using Rung::Rung;

    void forward(const Conv2d::Forward& args) override {
        launch(on(stream_, blocks_for(shape_.output_elements(), threads), threads), direct_forward,
               geometry_, args);
    }

  private:
    void weight_parts(const Conv2d::Backward& args, float* partial) override {
        launch(
            on(stream_, dim3(blocks_for(geometry_.weights, threads), blocks_for(splits_.parts, 1)),
               threads),
            direct_weight_gradient, geometry_, splits_, args, partial);
    }
    void input_gradient(const Conv2d::Backward& args) override {
        launch(on(stream_, blocks_for(shape_.input_elements(), threads), threads),
               direct_input_gradient, geometry_, args);
    }
};

const Registered<Conv2d> registered{
    device_kind,
    conv2d::variant<Direct>(
        "direct", "One thread a result: the definition, with no workspace but the sums' parts.",
        0)};

}  // namespace
}  // namespace trainscope::cuda
