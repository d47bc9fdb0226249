// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution `winograd_2x3`: F(2x2, 3x3) of Lavin and Gray 2015. Filters and inputs in tiles of
// 4 x 4 are transformed so that 2 x 2 outputs take 16 multiplications a channel instead of 36; the
// sums over channels are 16 products of matrices. Over `implicit_gemm` it saves 2.25 times the
// multiplications for four times the inputs' bytes written and read. dx is the same with the
// filters turned round; dweight is `implicit_gemm`'s.
// Bound by device memory with few channels. Its rounding errors are a few times larger. Refuses
// all but 3 x 3 filters, stride 1 and one group.
#include "engine/cuda/conv2d/geometry.h"
#include "engine/cuda/conv2d/implicit_gemm.h"
#include "engine/cuda/conv2d/products.h"
#include "engine/cuda/conv2d/rung.h"
#include "engine/cuda/kernel.h"

namespace trainscope::cuda {
namespace {

constexpr unsigned threads = 128;
constexpr int points = 16;  // of a transformed tile

// One direction: the planes that are read and made, and the tiles of 2 x 2 results.
struct Pass {
    int sources, results;
    int source_h, source_w, result_h, result_w;
    int pad_h, pad_w;
    int tiles_h, tiles_w;
    bool turned;  // dx: weights [sources, results, 3, 3], turned round

    std::int64_t filter_floats() const { return std::int64_t{points} * sources * results; }
    std::int64_t sample_floats() const {
        return std::int64_t{points} * (sources + results) * tiles_h * tiles_w;
    }
};

Pass pass_of(const Conv2d::Shape& shape, bool turned) {
    const conv2d::Geometry g = conv2d::geometry_of(shape);
    const int result_h = turned ? g.h : g.out_h;
    const int result_w = turned ? g.w : g.out_w;
    return {.sources = turned ? g.k : g.c,
            .results = turned ? g.c : g.k,
            .source_h = turned ? g.out_h : g.h,
            .source_w = turned ? g.out_w : g.w,
            .result_h = result_h,
            .result_w = result_w,
            .pad_h = turned ? 2 - g.pad_h : g.pad_h,
            .pad_w = turned ? 2 - g.pad_w : g.pad_w,
            .tiles_h = (result_h + 1) / 2,
            .tiles_w = (result_w + 1) / 2,
            .turned = turned};
}

// to = G from: three values to four.
__device__ void transform_filter(const float* from, int step, float* to, int to_step) {
    const float sum = from[0] + from[2 * step];
    to[0] = from[0];
    to[to_step] = 0.5F * (sum + from[step]);
    to[2 * to_step] = 0.5F * (sum - from[step]);
    to[3 * to_step] = from[2 * step];
}
// In place, B^T: four values to four.
__device__ void transform_input(float* values, int step) {
    const float first = values[0];
    const float second = values[step];
    const float third = values[2 * step];
    const float fourth = values[3 * step];
    values[0] = first - third;
    values[step] = second + third;
    values[2 * step] = third - second;
    values[3 * step] = second - fourth;
}
// In place, A^T: four values to two.
__device__ void transform_output(float* values, int step) {
    const float sum = values[step] + values[2 * step];
    const float difference = values[step] - values[2 * step];
    values[0] += sum;
    values[step] = difference - values[3 * step];
}

// -> [points, results, sources]; one thread a filter of a channel.
__global__ void transform_filters(Pass p, const float* weight, float* to) {
    const std::int64_t filters = std::int64_t{p.results} * p.sources;
    for (std::int64_t i = global_thread(); i < filters; i += grid_threads()) {
        const std::int64_t result = i / p.sources;
        const std::int64_t source = i - result * p.sources;
        const float* const from =
            weight + (p.turned ? source * p.results + result : i) * std::int64_t{9};
        float filter[9];
        TRAINSCOPE_UNROLL
        for (int tap = 0; tap < 9; ++tap) {
            filter[tap] = from[p.turned ? 8 - tap : tap];
        }
        float down[12];  // 4 x 3
        TRAINSCOPE_UNROLL
        for (int s = 0; s < 3; ++s) {
            transform_filter(filter + s, 3, down + s, 3);
        }
        float whole[points];
        TRAINSCOPE_UNROLL
        for (int row = 0; row < 4; ++row) {
            transform_filter(down + 3 * row, 1, whole + 4 * row, 1);
        }
        TRAINSCOPE_UNROLL
        for (int point = 0; point < points; ++point) {
            to[point * filters + i] = whole[point];
        }
    }
}

// A tile of the samples at hand: neighbouring threads have neighbouring tiles of a plane.
struct Place {
    std::int64_t sample;
    int row, column;

    __device__ Place(const Pass& p, std::int64_t tile) {
        sample = tile / (p.tiles_h * p.tiles_w);
        const int at = static_cast<int>(tile - sample * (p.tiles_h * p.tiles_w));
        row = at / p.tiles_w * 2;
        column = at % p.tiles_w * 2;
    }
};

// source [samples, sources, H, W] -> [points, sources, tiles]
__global__ void transform_inputs(Pass p, std::int64_t tiles, const float* source, float* to) {
    for (std::int64_t i = global_thread(); i < p.sources * tiles; i += grid_threads()) {
        const std::int64_t plane = i / tiles;
        const Place t(p, i - plane * tiles);
        const float* const from =
            source + (t.sample * p.sources + plane) * p.source_h * std::int64_t{p.source_w};
        float values[points];
        TRAINSCOPE_UNROLL
        for (int point = 0; point < points; ++point) {
            const int h = t.row - p.pad_h + point / 4;
            const int w = t.column - p.pad_w + point % 4;
            const bool inside = h >= 0 && h < p.source_h && w >= 0 && w < p.source_w;
            values[point] = inside ? from[h * p.source_w + w] : 0.0F;
        }
        TRAINSCOPE_UNROLL
        for (int line = 0; line < 4; ++line) {
            transform_input(values + line, 4);
        }
        TRAINSCOPE_UNROLL
        for (int line = 0; line < 4; ++line) {
            transform_input(values + 4 * line, 1);
        }
        TRAINSCOPE_UNROLL
        for (int point = 0; point < points; ++point) {
            to[point * p.sources * tiles + i] = values[point];
        }
    }
}

// [points, results, tiles] -> result [samples, results, H, W]
__global__ void transform_outputs(Pass p, std::int64_t tiles, const float* from, const float* bias,
                                  float* result) {
    for (std::int64_t i = global_thread(); i < p.results * tiles; i += grid_threads()) {
        const std::int64_t plane = i / tiles;
        const Place t(p, i - plane * tiles);
        float values[points];
        TRAINSCOPE_UNROLL
        for (int point = 0; point < points; ++point) {
            values[point] = from[point * p.results * tiles + i];
        }
        TRAINSCOPE_UNROLL
        for (int line = 0; line < 4; ++line) {
            transform_output(values + line, 4);
        }
        TRAINSCOPE_UNROLL
        for (int line = 0; line < 2; ++line) {
            transform_output(values + 4 * line, 1);
        }
        const float more = bias == nullptr ? 0.0F : bias[plane];
        float* const to =
            result + (t.sample * p.results + plane) * p.result_h * std::int64_t{p.result_w};
        TRAINSCOPE_UNROLL
        for (int at = 0; at < 4; ++at) {
            const int h = t.row + at / 2;
            const int w = t.column + at % 2;
            if (h < p.result_h && w < p.result_w) {
                to[h * p.result_w + w] = values[at / 2 * 4 + at % 2] + more;
            }
        }
    }
}

class Winograd2x3 final : public conv2d::Rung {
  public:
    using Rung::Rung;
    static std::optional<std::string> refuses(const Conv2d::Shape& s) {
        if (s.r != 3 || s.s != 3) {
            return "it is for filters of 3 x 3; these have " + std::to_string(s.r) + " x " +
                   std::to_string(s.s);
        }
        if (s.stride_h != 1 || s.stride_w != 1) {
            return "it is for stride 1; this is " + std::to_string(s.stride_h) + " x " +
                   std::to_string(s.stride_w);
        }
        if (s.groups != 1) {
            return "it is for one group; these are " + std::to_string(s.groups);
        }
        return std::nullopt;
    }
    static std::int64_t workspace_bytes(const Conv2d::Shape& shape) {
        return std::max(floats_of(shape, false), floats_of(shape, true)) *
               static_cast<std::int64_t>(sizeof(float));
    }

    void forward(const Conv2d::Forward& args) override {
        run(pass_of(shape_, false), args.x, args.weight, args.bias, args.y, args.workspace);
    }

  private:
    void weight_parts(const Conv2d::Backward& args, float* partial) override {
        conv2d::launch_implicit_weight_parts(stream_, shape_, splits_, args, partial);
    }
    void input_gradient(const Conv2d::Backward& args) override {
        run(pass_of(shape_, true), args.dy, args.weight, nullptr, args.dx, args.workspace);
    }

    static std::int64_t samples_at_once(const Conv2d::Shape& shape, const Pass& p) {
        return std::clamp(conv2d::workspace_floats / p.sample_floats(), std::int64_t{1}, shape.n);
    }
    static std::int64_t floats_of(const Conv2d::Shape& shape, bool turned) {
        const Pass p = pass_of(shape, turned);
        return p.filter_floats() + samples_at_once(shape, p) * p.sample_floats();
    }

    void run(const Pass& p, const float* source, const float* weight, const float* bias,
             float* result, void* workspace) {
        auto* const filters = static_cast<float*>(workspace);
        const std::int64_t pairs = std::int64_t{p.sources} * p.results;
        launch(on(stream_, blocks_for(pairs, threads), threads), transform_filters, p, weight,
               filters);
        const std::int64_t at_once = samples_at_once(shape_, p);
        for (std::int64_t first = 0; first < shape_.n; first += at_once) {
            run_samples(p, std::min(at_once, shape_.n - first),
                        source + first * p.sources * p.source_h * p.source_w, filters, bias,
                        result + first * p.results * p.result_h * p.result_w);
        }
    }

    // The transformed inputs and outputs lie behind the filters.
    void run_samples(const Pass& p, std::int64_t samples, const float* source, float* filters,
                     const float* bias, float* result) {
        const std::int64_t tiles = samples * p.tiles_h * p.tiles_w;
        float* const inputs = filters + p.filter_floats();
        float* const outputs = inputs + points * p.sources * tiles;
        launch(on(stream_, blocks_for(p.sources * tiles, threads), threads), transform_inputs, p,
               tiles, source, inputs);
        conv2d::launch_products(stream_,
                                {.rows = p.results,
                                 .columns = static_cast<int>(tiles),
                                 .terms = p.sources,
                                 .groups = 1,
                                 .samples = points,
                                 .samples_each = 1,
                                 .a = filters,
                                 .a_steps = {p.sources, 1, std::int64_t{p.results} * p.sources, 0},
                                 .b = inputs,
                                 .b_steps = {tiles, 1, p.sources * tiles, 0},
                                 .c = outputs,
                                 .c_steps = {tiles, 1, p.results * tiles, 0},
                                 .bias = nullptr});
        launch(on(stream_, blocks_for(p.results * tiles, threads), threads), transform_outputs, p,
               tiles, outputs, bias, result);
    }
};

const Registered<Conv2d> registered{
    device_kind,
    conv2d::variant<Winograd2x3>(
        "winograd_2x3",
        "F(2x2, 3x3): 16 multiplications for 36, in transformed tiles; only 3 x 3 with stride 1.",
        18)};

}  // namespace
}  // namespace trainscope::cuda
