// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution `direct_depthwise`: for filters that see one channel, where there is no sum over
// channels that a product of matrices could work on. A thread makes four results one above the
// other, so that over `direct` a value is loaded once for all of them, and for dweight all the taps
// of a filter at a place at once, up to nine, so that dy is loaded once and x comes from the cache.
// Bound by device memory: about two operations a byte. Refuses groups of more than one channel.
#include "engine/cuda/conv2d/geometry.h"
#include "engine/cuda/conv2d/rung.h"
#include "engine/cuda/kernel.h"
#include "engine/cuda/warp.h"

namespace trainscope::cuda {
namespace {

using conv2d::Geometry;
using conv2d::Span;
using conv2d::Splits;

constexpr unsigned threads = 128;
constexpr int stacked = 4;    // results of a thread
constexpr int most_taps = 9;  // of a pass over dy
// Fewer on the emulated device, so that tests meet several parts.
constexpr std::int64_t terms_of_part = device_kind == DeviceKind::emulated ? 512 : 8192;

// Where the results of one thread are in [N, planes, height, width]: the topmost of them.
struct Stack {
    std::int64_t n;
    int plane, row, column, count;

    __device__ Stack(int planes, int height, int width, std::int64_t index) {
        const int quarters = (height + stacked - 1) / stacked;
        const std::int64_t line = index / width;
        column = static_cast<int>(index - line * width);
        const std::int64_t all_planes = line / quarters;
        row = static_cast<int>(line - all_planes * quarters) * stacked;
        n = all_planes / planes;
        plane = static_cast<int>(all_planes - n * planes);
        count = min(stacked, height - row);
    }
};

// Adds value * taps[(row - i * step) * width] to each result i that has such a row of taps.
__device__ void add_to_stack(float value, const float* taps, int row, int step, int rows, int width,
                             float (&sums)[stacked]) {
    TRAINSCOPE_UNROLL
    for (int i = 0; i < stacked; ++i) {
        const int r = row - i * step;
        if (r >= 0 && r < rows) {
            sums[i] += value * taps[r * width];
        }
    }
}

__global__ void depthwise_forward(Geometry g, std::int64_t stacks, Conv2d::Forward args) {
    for (std::int64_t index = global_thread(); index < stacks; index += grid_threads()) {
        const Stack t(g.k, g.out_h, g.out_w, index);
        const float* const x = args.x + t.n * g.sample() + t.plane / g.group_k * g.plane();
        const float* const taps = args.weight + t.plane * g.taps();
        const int top = t.row * g.stride_h - g.pad_h;
        const int left = t.column * g.stride_w - g.pad_w;
        const Span rows = conv2d::taps_inside(top, (t.count - 1) * g.stride_h + g.r, g.h);
        const Span columns = conv2d::taps_inside(left, g.s, g.w);
        float sums[stacked] = {};
        for (int row = rows.begin; row < rows.end; ++row) {
            for (int s = columns.begin; s < columns.end; ++s) {
                add_to_stack(x[(top + row) * g.w + left + s], taps + s, row, g.stride_h, g.r, g.s,
                             sums);
            }
        }
        float* const y =
            args.y + (t.n * g.k + t.plane) * g.out_plane() + t.row * g.out_w + t.column;
        const float bias = args.bias == nullptr ? 0.0F : args.bias[t.plane];
        TRAINSCOPE_UNROLL
        for (int i = 0; i < stacked; ++i) {
            if (i < t.count) {
                y[i * g.out_w] = sums[i] + bias;
            }
        }
    }
}

__global__ void depthwise_input_gradient(Geometry g, std::int64_t stacks, Conv2d::Backward args) {
    for (std::int64_t index = global_thread(); index < stacks; index += grid_threads()) {
        const Stack t(g.c, g.h, g.w, index);
        const int row = t.row + g.pad_h;
        const int column = t.column + g.pad_w;
        const Span rows{conv2d::windows_over(row, g.r, g.stride_h, g.out_h).begin,
                        conv2d::windows_over(row + t.count - 1, g.r, g.stride_h, g.out_h).end};
        const Span columns = conv2d::windows_over(column, g.s, g.stride_w, g.out_w);
        float sums[stacked] = {};
        for (int f = 0; f < g.group_k; ++f) {
            const int k = t.plane * g.group_k + f;
            const float* const dy = args.dy + (t.n * g.k + k) * g.out_plane();
            const float* const taps = args.weight + k * g.taps();
            for (int oh = rows.begin; oh < rows.end; ++oh) {
                for (int ow = columns.begin; ow < columns.end; ++ow) {
                    add_to_stack(dy[oh * g.out_w + ow], taps + column - ow * g.stride_w,
                                 row - oh * g.stride_h, -1, g.r, g.s, sums);
                }
            }
        }
        float* const dx = args.dx + (t.n * g.c + t.plane) * g.plane() + t.row * g.w + t.column;
        TRAINSCOPE_UNROLL
        for (int i = 0; i < stacked; ++i) {
            if (i < t.count) {
                dx[i * g.w] = sums[i];
            }
        }
    }
}

// One thread's share of what a part has for the taps of a filter from `first` on.
__device__ void add_taps(const Geometry& g, const Splits& splits, const Conv2d::Backward& args,
                         std::int64_t part, int k, int first, float (&sums)[most_taps]) {
    int down[most_taps];
    int across[most_taps];
    TRAINSCOPE_UNROLL
    for (int i = 0; i < most_taps; ++i) {
        // A row below the plane where there is no tap.
        down[i] = first + i < g.taps() ? (first + i) / g.s : g.h + g.pad_h;
        across[i] = (first + i) % g.s;
    }
    const std::int64_t first_row = part * splits.rows;
    const auto rows = static_cast<int>(min(splits.rows, g.n * g.out_h - first_row));
    const std::int64_t first_n = first_row / g.out_h;
    const int first_oh = static_cast<int>(first_row - first_n * g.out_h);
    const int c = k / g.group_k;
    for (int at = static_cast<int>(threadIdx.x); at < rows * g.out_w;
         at += static_cast<int>(threads)) {
        const int row = at / g.out_w;
        const std::int64_t n = first_n + (first_oh + row) / g.out_h;
        const int oh = (first_oh + row) % g.out_h;
        const int ow = at - row * g.out_w;
        const float dy = args.dy[(n * g.k + k) * g.out_plane() + oh * g.out_w + ow];
        const float* const x = args.x + (n * g.c + c) * g.plane();
        TRAINSCOPE_UNROLL
        for (int i = 0; i < most_taps; ++i) {
            const int h = oh * g.stride_h - g.pad_h + down[i];
            const int w = ow * g.stride_w - g.pad_w + across[i];
            if (h >= 0 && h < g.h && w >= 0 && w < g.w) {
                sums[i] += dy * x[h * g.w + w];
            }
        }
    }
}

// A block a filter and part.
__global__ void __launch_bounds__(threads)
    depthwise_weight_parts(Geometry g, Splits splits, Conv2d::Backward args, float* partial) {
    for (std::int64_t part = blockIdx.y; part < splits.parts; part += gridDim.y) {
        for (int k = static_cast<int>(blockIdx.x); k < g.k; k += static_cast<int>(gridDim.x)) {
            for (int first = 0; first < g.taps(); first += most_taps) {
                float sums[most_taps] = {};
                add_taps(g, splits, args, part, k, first, sums);
                TRAINSCOPE_UNROLL
                for (int i = 0; i < most_taps; ++i) {
                    if (first + i < g.taps()) {  // the same for all threads
                        const float sum = block_sum<float, threads>(sums[i]);
                        if (threadIdx.x == 0) {
                            partial[part * g.weights + k * g.taps() + first + i] = sum;
                        }
                    }
                }
            }
        }
    }
}

class DirectDepthwise final : public conv2d::Rung {
  public:
    using Rung::Rung;
    static std::optional<std::string> refuses(const Conv2d::Shape& shape) {
        if (shape.groups != shape.c) {
            return "it is for groups of one channel; these have " +
                   std::to_string(shape.c / shape.groups);
        }
        return std::nullopt;
    }
    static Splits splits(const Conv2d::Shape& shape) {
        return conv2d::splits_of(shape, terms_of_part);
    }

    void forward(const Conv2d::Forward& args) override {
        const std::int64_t stacks = stacks_of(shape_.k, shape_.out_h(), shape_.out_w());
        launch(on(stream_, blocks_for(stacks, threads), threads), depthwise_forward, geometry_,
               stacks, args);
    }

  private:
    void weight_parts(const Conv2d::Backward& args, float* partial) override {
        launch(on(stream_, dim3(blocks_for(geometry_.k, 1), blocks_for(splits_.parts, 1)), threads),
               depthwise_weight_parts, geometry_, splits_, args, partial);
    }
    void input_gradient(const Conv2d::Backward& args) override {
        const std::int64_t stacks = stacks_of(shape_.c, shape_.h, shape_.w);
        launch(on(stream_, blocks_for(stacks, threads), threads), depthwise_input_gradient,
               geometry_, stacks, args);
    }
    std::int64_t stacks_of(std::int64_t planes, std::int64_t height, std::int64_t width) const {
        return shape_.n * planes * ((height + stacked - 1) / stacked) * width;
    }
};

const Registered<Conv2d> registered{
    device_kind,
    conv2d::variant<DirectDepthwise>(
        "direct_depthwise",
        "One channel a group: four results a thread, all taps at once for dweight.", 30)};

}  // namespace
}  // namespace trainscope::cuda
