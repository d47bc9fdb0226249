// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution `direct_shared`: a block makes a tile of a plane for eight filters. The inputs under
// the tile, with their margin, and the filters' taps are read into shared memory, a few channels at
// a time; a thread holds the sums of its place for all eight filters, so that over `direct` an
// input is read from device memory once instead of once a tap and filter, and from shared memory
// once for eight multiply-adds. dx is the same walk the other way. For dweight a thread holds a tap
// of eight filters, with rows of x and dy in shared memory.
// Bound by shared memory's loads; small planes leave threads idle. Refuses filters that do not fit.
#include "engine/cuda/conv2d/eight_sums.h"
#include "engine/cuda/conv2d/geometry.h"
#include "engine/cuda/conv2d/rung.h"
#include "engine/cuda/conv2d/shared_weight_parts.h"
#include "engine/cuda/kernel.h"

namespace trainscope::cuda {
namespace {

using conv2d::Geometry;
using conv2d::Splits;

constexpr int planes_a_thread = conv2d::results_a_thread;
using conv2d::shared_floats;

// --- forward and dx ---

// How a result's place along one axis meets the source's, forward and for dx.
struct Axis {
    bool gathers;  // dx: the source is the output of the convolution
    int taps, stride, pad;
    int source, result;  // lengths
    int tile;            // results of a block
    int tile_source;     // sources under a tile

    __device__ int first_source(int first_result) const {
        if (!gathers) {
            return first_result * stride - pad;
        }
        const int lowest = first_result + pad - taps + 1;
        return lowest >= 0 ? lowest / stride : -((stride - 1 - lowest) / stride);
    }
};

// The taps that meet a result, and where the first of them lies in the tile.
struct Walk {
    int tap, tap_step, place, place_step;

    __device__ Walk(const Axis& axis, int first_result, int in_tile) {
        const int counted = first_result + in_tile + axis.pad;
        tap = axis.gathers ? counted % axis.stride : 0;
        tap_step = axis.gathers ? axis.stride : 1;
        place = axis.gathers ? counted / axis.stride - axis.first_source(first_result)
                             : in_tile * axis.stride;
        place_step = axis.gathers ? -1 : 1;
    }
};

struct Correlation {
    std::int64_t n;
    int groups, sources, results;  // planes of a group
    Axis down, across;
    int weight_of_source, weight_of_result;  // steps in the weights
    int stage;                               // source planes in shared memory at a time
    const float* source;
    const float* weight;
    const float* bias;
    float* result;
};

// The part of the work that one block does at a time.
struct Tile {
    std::int64_t n;
    int group, first_plane, top, left;

    __device__ Tile(const Correlation& p, int tiles_down, int tiles_across, int plane_tiles,
                    std::int64_t index) {
        left = static_cast<int>(index % tiles_across) * p.across.tile;
        index /= tiles_across;
        top = static_cast<int>(index % tiles_down) * p.down.tile;
        index /= tiles_down;
        first_plane = static_cast<int>(index % plane_tiles) * planes_a_thread;
        index /= plane_tiles;
        group = static_cast<int>(index % p.groups);
        n = index / p.groups;
    }
};

// Source planes from `first` on -> tile [count, tile_source, tile_source], zero outside of them.
__device__ void load_sources(const Correlation& p, const Tile& t, int first, int count,
                             float* tile) {
    const float* const planes = p.source + ((t.n * p.groups + t.group) * p.sources + first) *
                                               p.down.source * std::int64_t{p.across.source};
    const int top = p.down.first_source(t.top);
    const int left = p.across.first_source(t.left);
    for (int line = static_cast<int>(threadIdx.y); line < count * p.down.tile_source;
         line += static_cast<int>(blockDim.y)) {
        const int plane = line / p.down.tile_source;
        const int h = top + line % p.down.tile_source;
        const bool inside = h >= 0 && h < p.down.source;
        for (int column = static_cast<int>(threadIdx.x); column < p.across.tile_source;
             column += static_cast<int>(blockDim.x)) {
            const int w = left + column;
            tile[line * p.across.tile_source + column] =
                inside && w >= 0 && w < p.across.source
                    ? planes[(plane * p.down.source + h) * p.across.source + w]
                    : 0.0F;
        }
    }
}

// Weights between these source planes and the block's results -> [count, taps, planes_a_thread].
__device__ void load_weights(const Correlation& p, const Tile& t, int first, int count,
                             float* weights) {
    const int taps = p.down.taps * p.across.taps;
    const float* const of_group = p.weight + t.group * p.sources * p.results * taps;
    const int threads = static_cast<int>(blockDim.x * blockDim.y);
    for (int i = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
         i < count * taps * planes_a_thread; i += threads) {
        const int result = t.first_plane + i % planes_a_thread;
        const int tap = i / planes_a_thread % taps;
        const int source = first + i / planes_a_thread / taps;
        weights[i] = result < p.results
                         ? of_group[result * p.weight_of_result + source * p.weight_of_source + tap]
                         : 0.0F;
    }
}

__device__ void add_stage(const Correlation& p, const Walk& down, const Walk& across, int count,
                          const float* weights, const float* tile, float (&sums)[planes_a_thread]) {
    float found[planes_a_thread] = {};
    for (int plane = 0; plane < count; ++plane) {
        int y = down.place;
        for (int r = down.tap; r < p.down.taps; r += down.tap_step, y += down.place_step) {
            const float* const line =
                tile + (plane * p.down.tile_source + y) * p.across.tile_source;
            const float* const taps =
                weights + (plane * p.down.taps + r) * p.across.taps * planes_a_thread;
            int x = across.place;
            for (int s = across.tap; s < p.across.taps;
                 s += across.tap_step, x += across.place_step) {
                conv2d::add_products(line[x], taps + s * planes_a_thread, found);
            }
        }
    }
    conv2d::add(found, sums);
}

__global__ void correlate(Correlation p, std::int64_t tiles, int tiles_down, int tiles_across,
                          int plane_tiles) {
    TRAINSCOPE_DYNAMIC_SHARED(float, weights);
    float* const sources = weights + p.stage * p.down.taps * p.across.taps * planes_a_thread;
    const int y = static_cast<int>(threadIdx.y);
    const int x = static_cast<int>(threadIdx.x);
    for (std::int64_t index = blockIdx.x; index < tiles; index += gridDim.x) {
        const Tile t(p, tiles_down, tiles_across, plane_tiles, index);
        const bool inside = t.top + y < p.down.result && t.left + x < p.across.result;
        const Walk down(p.down, t.top, y);
        const Walk across(p.across, t.left, x);
        float sums[planes_a_thread] = {};
        for (int first = 0; first < p.sources; first += p.stage) {
            const int count = min(p.stage, p.sources - first);
            load_sources(p, t, first, count, sources);
            load_weights(p, t, first, count, weights);
            __syncthreads();
            if (inside) {
                add_stage(p, down, across, count, weights, sources, sums);
            }
            __syncthreads();  // before the next planes are written
        }
        for (int f = 0; inside && f < planes_a_thread && t.first_plane + f < p.results; ++f) {
            const int plane = t.group * p.results + t.first_plane + f;
            p.result[((t.n * p.groups * p.results + plane) * p.down.result + t.top + y) *
                         p.across.result +
                     t.left + x] = p.bias == nullptr ? sums[f] : sums[f] + p.bias[plane];
        }
    }
}

int power_of_two_above(int value, int most) {
    int power = 1;
    while (power < value && power < most) {
        power *= 2;
    }
    return power;
}

void set_tile(Axis& axis, int tile) {
    axis.tile = tile;
    axis.tile_source = axis.gathers ? (tile + axis.taps - 2) / axis.stride + 2
                                    : (tile - 1) * axis.stride + axis.taps;
}

std::int64_t floats_of_plane(const Axis& down, const Axis& across) {
    return std::int64_t{down.tile_source} * across.tile_source +
           std::int64_t{planes_a_thread} * down.taps * across.taps;
}

// Tiles as large as results, 256 threads and shared memory allow. False when not even one fits.
bool set_tiles(Axis& down, Axis& across) {
    set_tile(across, power_of_two_above(across.result, 32));
    set_tile(down, power_of_two_above(down.result, 256 / across.tile));
    while (floats_of_plane(down, across) > shared_floats) {
        if (down.tile == 1 && across.tile == 1) {
            return false;
        }
        Axis& larger = down.tile >= across.tile ? down : across;
        set_tile(larger, larger.tile / 2);
    }
    return true;
}

struct Axes {
    Axis down, across;
    bool fit;

    Axes(const Geometry& g, bool gathers)
        : down{.gathers = gathers,
               .taps = g.r,
               .stride = g.stride_h,
               .pad = g.pad_h,
               .source = gathers ? g.out_h : g.h,
               .result = gathers ? g.h : g.out_h,
               .tile = 0,
               .tile_source = 0},
          across{.gathers = gathers,
                 .taps = g.s,
                 .stride = g.stride_w,
                 .pad = g.pad_w,
                 .source = gathers ? g.out_w : g.w,
                 .result = gathers ? g.w : g.out_w,
                 .tile = 0,
                 .tile_source = 0},
          fit(set_tiles(down, across)) {}
};

void launch_correlation(cudaStream_t stream, Correlation p) {
    constexpr int most_stages = 4;
    const std::int64_t of_plane = floats_of_plane(p.down, p.across);
    p.stage = static_cast<int>(
        std::min({shared_floats / of_plane, std::int64_t{most_stages}, std::int64_t{p.sources}}));
    const auto tiles_of = [](const Axis& axis) {
        return (axis.result + axis.tile - 1) / axis.tile;
    };
    const int plane_tiles = (p.results + planes_a_thread - 1) / planes_a_thread;
    const std::int64_t tiles = p.n * p.groups * plane_tiles * tiles_of(p.down) * tiles_of(p.across);
    const dim3 threads(static_cast<unsigned>(p.across.tile), static_cast<unsigned>(p.down.tile));
    launch(on(stream, blocks_for(tiles, 1, 65535), threads,
              static_cast<std::size_t>(p.stage * of_plane) * sizeof(float)),
           correlate, p, tiles, tiles_of(p.down), tiles_of(p.across), plane_tiles);
}

class DirectShared final : public conv2d::Rung {
  public:
    using Rung::Rung;
    static std::optional<std::string> refuses(const Conv2d::Shape& shape) {
        const Geometry geometry = conv2d::geometry_of(shape);
        if (!Axes(geometry, false).fit || !Axes(geometry, true).fit ||
            !conv2d::fits_shared(shape)) {
            return "a filter of " + std::to_string(shape.r) + " x " + std::to_string(shape.s) +
                   " taps does not fit into 48 KiB of shared memory";
        }
        return std::nullopt;
    }

    void forward(const Conv2d::Forward& args) override {
        const Geometry& g = geometry_;
        const Axes axes(g, false);
        launch_correlation(stream_, {.n = g.n,
                                     .groups = g.c / g.group_c,
                                     .sources = g.group_c,
                                     .results = g.group_k,
                                     .down = axes.down,
                                     .across = axes.across,
                                     .weight_of_source = g.r * g.s,
                                     .weight_of_result = g.group_c * g.r * g.s,
                                     .stage = 0,
                                     .source = args.x,
                                     .weight = args.weight,
                                     .bias = args.bias,
                                     .result = args.y});
    }

  private:
    void weight_parts(const Conv2d::Backward& args, float* partial) override {
        conv2d::launch_shared_weight_parts(stream_, shape_, splits_, args, partial);
    }
    void input_gradient(const Conv2d::Backward& args) override {
        const Geometry& g = geometry_;
        const Axes axes(g, true);
        launch_correlation(stream_, {.n = g.n,
                                     .groups = g.c / g.group_c,
                                     .sources = g.group_k,
                                     .results = g.group_c,
                                     .down = axes.down,
                                     .across = axes.across,
                                     .weight_of_source = g.group_c * g.r * g.s,
                                     .weight_of_result = g.r * g.s,
                                     .stage = 0,
                                     .source = args.dy,
                                     .weight = args.weight,
                                     .bias = nullptr,
                                     .result = args.dx});
    }
};

const Registered<Conv2d> registered{
    device_kind,
    conv2d::variant<DirectShared>("direct_shared",
                                  "Tiles of a plane and the filters' taps in shared memory.", 10)};

}  // namespace
}  // namespace trainscope::cuda
