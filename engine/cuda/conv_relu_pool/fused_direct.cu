// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution, ReLU and pooling `fused_direct`: a thread holds the four outputs of a pooling window
// for eight filters in registers and writes only their maximum, so that the convolution's output,
// four times as large as what is left of it, never goes through memory. Inputs and taps come from
// shared memory; even and odd columns lie apart there, since neighbouring windows are two columns
// apart. On the way back a window's winner alone has a gradient. Refuses strides, groups and pools
// other than 2x2.
#include "engine/cuda/conv_relu_pool/geometry.h"
#include "engine/cuda/conv_relu_pool/gradients.h"
#include "engine/cuda/kernel.h"
#include "engine/cuda/vector.h"

namespace trainscope::cuda {
namespace {

using conv_relu_pool::Geometry;
using conv_relu_pool::Tile;
using conv_relu_pool::Tiling;

constexpr int filters_a_thread = 8;
constexpr int most_stages = 4;  // channels in shared memory at a time
// Convolutions of fewer channels are bound by memory, and fusing pays.
constexpr std::int64_t few_channels = 16;

struct Plan {
    Tiling tiling;    // of the pooled planes
    int lines, half;  // of x under a tile: lines of one channel, columns of one parity
    int stage;

    explicit Plan(const Geometry& g)
        : tiling(conv_relu_pool::tiling_of(g.k, g.pooled_h, g.pooled_w, filters_a_thread, 16, 16)),
          lines(2 * tiling.down + g.r - 1),
          half(tiling.across + g.s / 2),
          stage(static_cast<int>(std::min({conv_relu_pool::shared_floats / floats_of_channel(g),
                                           std::int64_t{most_stages}, std::int64_t{g.c}}))) {}
    std::int64_t floats_of_channel(const Geometry& g) const {
        return std::int64_t{lines} * 2 * half + std::int64_t{filters_a_thread} * g.r * g.s;
    }
    // Where a column lies in a line.
    __device__ int place(int column) const { return column % 2 * half + column / 2; }
};

// Channels from `first` on -> [count, lines, 2, half], zero outside of the planes.
__device__ void load_inputs(const Geometry& g, const Plan& plan, const Tile& t, int first,
                            int count, const float* x, float* tile) {
    const float* const planes = x + t.n * g.sample() + first * g.plane();
    const int top = 2 * t.top - g.pad_h;
    const int left = 2 * t.left - g.pad_w;
    for (int line = static_cast<int>(threadIdx.y); line < count * plan.lines;
         line += static_cast<int>(blockDim.y)) {
        const int c = line / plan.lines;
        const int h = top + line % plan.lines;
        const bool inside = h >= 0 && h < g.h;
        for (int column = static_cast<int>(threadIdx.x); column < 2 * plan.half;
             column += static_cast<int>(blockDim.x)) {
            const int w = left + column;
            tile[line * 2 * plan.half + plan.place(column)] =
                inside && w >= 0 && w < g.w ? planes[(c * g.h + h) * g.w + w] : 0.0F;
        }
    }
}

// -> [count, taps, filters_a_thread]
__device__ void load_weights(const Geometry& g, const Tile& t, int first, int count,
                             const float* weight, float* tile) {
    const int threads = static_cast<int>(blockDim.x * blockDim.y);
    for (int i = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
         i < count * g.taps() * filters_a_thread; i += threads) {
        const int k = t.first_plane + i % filters_a_thread;
        const int tap = i / filters_a_thread % g.taps();
        const int c = first + i / filters_a_thread / g.taps();
        tile[i] = k < g.k ? weight[(k * g.c + c) * g.taps() + tap] : 0.0F;
    }
}

using Windows = float[4][filters_a_thread];

// One channel. `size` is the filter's, or 0 where it is only known at run time.
template <int size>
__device__ void add_channel(const Geometry& g, const Plan& plan, const float* inputs,
                            const float* weights, Windows& sums) {
    const int rows = size > 0 ? size : g.r;
    const int columns = size > 0 ? size : g.s;
    TRAINSCOPE_UNROLL
    for (int r = 0; r < rows; ++r) {
        const float* const upper = inputs + r * 2 * plan.half;
        const float* const lower = upper + 2 * plan.half;
        float window[4] = {0, upper[0], 0, lower[0]};
        TRAINSCOPE_UNROLL
        for (int s = 0; s < columns; ++s) {
            window[0] = window[1];
            window[1] = upper[plan.place(s + 1)];
            window[2] = window[3];
            window[3] = lower[plan.place(s + 1)];
            const int tap = r * columns + s;
            TRAINSCOPE_UNROLL
            for (int part = 0; part < 2; ++part) {
                const auto four = load<4>(weights, 2 * tap + part);
                TRAINSCOPE_UNROLL
                for (int f = 0; f < 4; ++f) {
                    TRAINSCOPE_UNROLL
                    for (int q = 0; q < 4; ++q) {
                        sums[q][4 * part + f] += window[q] * four.of[f];
                    }
                }
            }
        }
    }
}

// The first of the largest, or the first NaN, above 0.
__device__ inline void keep_winner(const Windows& sums, int filter, float bias, float& y,
                                   std::uint8_t& index) {
    float best = sums[0][filter] + bias;
    int place = 0;
    TRAINSCOPE_UNROLL
    for (int q = 1; q < 4; ++q) {
        const float value = sums[q][filter] + bias;
        if (value > best || (value != value && best == best)) {
            best = value;
            place = q;
        }
    }
    const bool active = !(best <= 0.0F);  // NaN is
    y = active ? best : 0.0F;
    index = active ? static_cast<std::uint8_t>(place) : ConvReluPool::inactive;
}

template <int size>
__global__ void fused_forward(Geometry g, Plan plan, ConvReluPool::Forward args) {
    TRAINSCOPE_DYNAMIC_SHARED(float, weights);
    float* const inputs = weights + plan.stage * g.taps() * filters_a_thread;
    const int y = static_cast<int>(threadIdx.y);
    const int x = static_cast<int>(threadIdx.x);
    const int of_channel = plan.lines * 2 * plan.half;
    const std::int64_t tiles = plan.tiling.tiles(g.n);
    for (std::int64_t index = blockIdx.x; index < tiles; index += gridDim.x) {
        const Tile t(plan.tiling, index);
        const bool inside = t.top + y < g.pooled_h && t.left + x < g.pooled_w;
        Windows sums = {};
        for (int first = 0; first < g.c; first += plan.stage) {
            const int count = min(plan.stage, g.c - first);
            load_inputs(g, plan, t, first, count, args.x, inputs);
            load_weights(g, t, first, count, args.weight, weights);
            __syncthreads();
            for (int c = 0; inside && c < count; ++c) {
                add_channel<size>(g, plan, inputs + c * of_channel + 4 * y * plan.half + x,
                                  weights + c * g.taps() * filters_a_thread, sums);
            }
            __syncthreads();  // before the next channels are written
        }
        TRAINSCOPE_UNROLL
        for (int f = 0; f < filters_a_thread; ++f) {
            const int k = t.first_plane + f;
            if (inside && k < g.k) {
                const std::int64_t at =
                    (t.n * g.k + k) * g.pooled_plane() + (t.top + y) * g.pooled_w + t.left + x;
                keep_winner(sums, f, args.bias == nullptr ? 0.0F : args.bias[k], args.y[at],
                            args.index[at]);
            }
        }
    }
}

class FusedDirect final : public ConvReluPool::Kernel {
  public:
    FusedDirect(const ConvReluPool::Shape& shape, cudaStream_t stream)
        : geometry_(conv_relu_pool::geometry_of(shape)),
          splits_(conv_relu_pool::splits_of(shape)),
          stream_(stream) {}

    void forward(const ConvReluPool::Forward& args) override {
        const Plan plan(geometry_);
        const bool three = geometry_.r == 3 && geometry_.s == 3;
        launch(
            on(stream_, blocks_for(plan.tiling.tiles(geometry_.n), 1, 65535), plan.tiling.threads(),
               static_cast<std::size_t>(plan.stage * plan.floats_of_channel(geometry_)) *
                   sizeof(float)),
            three ? fused_forward<3> : fused_forward<0>, geometry_, plan, args);
    }
    void backward(const ConvReluPool::Backward& args) override {
        conv_relu_pool::launch_weight_gradients(stream_, geometry_, splits_, args);
        if (args.dx != nullptr) {
            conv_relu_pool::launch_input_gradient(stream_, geometry_, args);
        }
    }

  private:
    Geometry geometry_;
    conv2d::Splits splits_;
    cudaStream_t stream_;
};

std::optional<std::string> refusal(const ConvReluPool::Shape& shape) {
    if (auto reason = why_not_pooled_by_two(shape)) {
        return reason;
    }
    if (auto reason = conv2d::too_large(shape.conv)) {
        return reason;
    }
    const Geometry g = conv_relu_pool::geometry_of(shape);
    if (Plan(g).stage < 1 || !conv_relu_pool::weight_gradients_fit(g) ||
        !conv_relu_pool::input_gradient_fits(g)) {
        return "a filter of " + std::to_string(shape.conv.r) + " x " +
               std::to_string(shape.conv.s) + " taps does not fit into 48 KiB of shared memory";
    }
    return std::nullopt;
}

const Registered<ConvReluPool> registered{
    device_kind,
    {.name = "fused_direct",
     .description =
         "Direct convolution that keeps each pooling window in registers and writes only "
         "its maximum.",
     .preference_for_shape =
         [](const ConvReluPool::Shape& shape) { return shape.conv.c <= few_channels ? 10 : -10; },
     .refuses = refusal,
     .workspace_bytes = [](const ConvReluPool::Shape& shape,
                           const KernelContext&) { return conv_relu_pool::workspace_bytes(shape); },
     .make = [](const ConvReluPool::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<ConvReluPool::Kernel> {
         return std::make_unique<FusedDirect>(shape, stream_of(context));
     }}};

}  // namespace
}  // namespace trainscope::cuda
