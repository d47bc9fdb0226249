// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution `implicit_gemm`: each pass is a product of matrices whose elements are found in the
// tensors as they are needed, and nothing is written out. A block makes a tile of 64 x 64 results,
// 16 terms at a time through shared memory; a thread holds 8 x 4 of them in registers, so that over
// `direct_shared` a value from shared memory serves about three times as many multiply-adds, and
// small planes of many samples fill tiles as well as large ones do. Where the elements of a term
// lie is worked out by 16 threads, one step ahead, for all.
// Bound by multiply-adds with many filters; with few, the tiles are mostly empty. Refuses nothing.
#include "engine/cuda/conv2d/geometry.h"
#include "engine/cuda/conv2d/implicit_gemm.h"
#include "engine/cuda/conv2d/rung.h"
#include "engine/cuda/conv2d/tile.h"
#include "engine/cuda/kernel.h"

namespace trainscope::cuda {
namespace {

using conv2d::Geometry;
using conv2d::Splits;
using namespace conv2d::product;  // NOLINT: the tile's measures

enum class Pass : std::uint8_t { forward, input, weight };

//            rows     columns          terms
// forward    filters  outputs [N, P]   taps [group_c, R, S]
// input      channels inputs [N, HW]   taps [group_k, R, S]
// weight     filters  taps             outputs [N, P] of a part
struct Product {
    Geometry g;
    Splits splits;
    int rows;
    std::int64_t columns;
    std::int64_t terms;  // in all parts
    std::int64_t row_tiles, column_tiles;
    const float* a;
    const float* b;
    const float* bias;  // of rows
    float* c;

    __device__ std::int64_t parts_of(Pass pass) const {
        return pass == Pass::weight ? splits.parts : 1;
    }
};

// The part of the work that one block does at a time.
struct Tile {
    int group, first_row;
    std::int64_t first_column, part, first_term, last_term;

    __device__ Tile(const Product& p, Pass pass, std::int64_t index) {
        first_row = static_cast<int>(index % p.row_tiles) * tile;
        index /= p.row_tiles;
        first_column = index % p.column_tiles * tile;
        index /= p.column_tiles;
        part = index % p.parts_of(pass);
        group = static_cast<int>(index / p.parts_of(pass));
        const std::int64_t of_part = p.splits.rows * p.g.out_w;
        first_term = pass == Pass::weight ? part * of_part : 0;
        last_term = pass == Pass::weight ? min(first_term + of_part, p.terms) : p.terms;
    }
};

// Where an element of b lies: offsets and places of its term and its column add up.
struct Place {
    std::int64_t offset;
    int down, across;
};

// A tap of the filters: between planes that are `plane` apart.
__device__ Place place_of_tap(const Geometry& g, int index, int plane, bool shifts) {
    const int tap = index % g.taps();
    const int r = tap / g.s;
    const int s = tap % g.s;
    return {static_cast<std::int64_t>(index / g.taps()) * plane + (shifts ? r * g.w + s : 0), r, s};
}
// The window of an output.
__device__ Place place_of_output(const Geometry& g, int group, std::int64_t index) {
    const std::int64_t n = index / g.out_plane();
    const int p = static_cast<int>(index - n * g.out_plane());
    const int top = p / g.out_w * g.stride_h - g.pad_h;
    const int left = p % g.out_w * g.stride_w - g.pad_w;
    return {n * g.sample() + static_cast<std::int64_t>(group) * g.group_c * g.plane() +
                static_cast<std::int64_t>(top) * g.w + left,
            top, left};
}
// An input, counted with the padding, for the windows that hold it.
__device__ Place place_of_input(const Geometry& g, int group, std::int64_t index) {
    const std::int64_t n = index / g.plane();
    const int p = static_cast<int>(index - n * g.plane());
    return {n * g.out_sample() + static_cast<std::int64_t>(group) * g.group_k * g.out_plane(),
            p / g.w + g.pad_h, p % g.w + g.pad_w};
}

template <Pass pass>
__device__ Place place_of_term(const Geometry& g, const Tile& t, std::int64_t term) {
    if constexpr (pass == Pass::weight) {
        return place_of_output(g, t.group, term);
    }
    constexpr bool forward = pass == Pass::forward;
    return place_of_tap(g, static_cast<int>(term), forward ? g.plane() : g.out_plane(), forward);
}
template <Pass pass>
__device__ Place place_of_column(const Geometry& g, const Tile& t, std::int64_t column) {
    if constexpr (pass == Pass::forward) {
        return place_of_output(g, t.group, column);
    } else if constexpr (pass == Pass::input) {
        return place_of_input(g, t.group, column);
    }
    return place_of_tap(g, static_cast<int>(column), g.plane(), true);
}

template <Pass pass>
__device__ float element_of_b(const Product& p, const Place& term, const Place& column) {
    const Geometry& g = p.g;
    if constexpr (pass == Pass::input) {
        const int down = column.down - term.down;
        const int across = column.across - term.across;
        const int oh = g.stride_h == 1 ? down : down / g.stride_h;
        const int ow = g.stride_w == 1 ? across : across / g.stride_w;
        const bool meets = down >= 0 && oh * g.stride_h == down && oh < g.out_h && across >= 0 &&
                           ow * g.stride_w == across && ow < g.out_w;
        return meets ? p.b[term.offset + column.offset + oh * g.out_w + ow] : 0.0F;
    }
    const int h = term.down + column.down;
    const int w = term.across + column.across;
    const bool inside = h >= 0 && h < g.h && w >= 0 && w < g.w;
    return inside ? p.b[term.offset + column.offset] : 0.0F;
}

// Where the first row's element of a lies, for this term; and how far apart the rows' are.
template <Pass pass>
__device__ std::int64_t first_of_a(const Geometry& g, const Tile& t, std::int64_t term) {
    const std::int64_t of_group = static_cast<std::int64_t>(t.group) * g.group_k;
    if constexpr (pass == Pass::forward) {
        return of_group * g.group_c * g.taps() + term;
    } else if constexpr (pass == Pass::input) {
        return (of_group + term / g.taps()) * g.group_c * g.taps() + term % g.taps();
    }
    const std::int64_t n = term / g.out_plane();
    return n * g.out_sample() + of_group * g.out_plane() + (term - n * g.out_plane());
}
template <Pass pass>
__device__ int row_step_of_a(const Geometry& g) {
    return pass == Pass::forward ? g.group_c * g.taps()
           : pass == Pass::input ? g.taps()
                                 : g.out_plane();
}

// The same of the results.
template <Pass pass>
__device__ std::int64_t first_of_c(const Geometry& g, const Tile& t, std::int64_t column) {
    if constexpr (pass == Pass::weight) {
        return t.part * g.weights +
               static_cast<std::int64_t>(t.group) * g.group_k * g.group_c * g.taps() + column;
    }
    constexpr bool forward = pass == Pass::forward;
    const int plane = forward ? g.out_plane() : g.plane();
    const int planes = forward ? g.group_k : g.group_c;
    const std::int64_t n = column / plane;
    return (n * (g.c / g.group_c) + t.group) * planes * plane + (column - n * plane);
}
template <Pass pass>
__device__ int row_step_of_c(const Geometry& g) {
    return pass == Pass::weight  ? g.group_c * g.taps()
           : pass == Pass::input ? g.plane()
                                 : g.out_plane();
}

// What the threads of a block share of a step.
struct Term {
    std::int64_t of_a;
    Place of_b;
};

template <Pass pass>
__device__ void find_terms(const Product& p, const Tile& t, std::int64_t first, Term* found) {
    const std::int64_t term = first + threadIdx.x;
    if (threadIdx.x < terms && term < t.last_term) {
        found[threadIdx.x] = {first_of_a<pass>(p.g, t, term), place_of_term<pass>(p.g, t, term)};
    }
}

// Neighbouring threads load neighbouring terms of a, and neighbouring columns of b.
template <Pass pass>
__device__ void load(const Product& p, const Tile& t, int count, const Term* found,
                     const Place& column, bool has_column, Line* a, Line* b) {
    const int me = static_cast<int>(threadIdx.x);
    const int term = me % terms;
    for (int row = me / terms; row < tile; row += threads / terms) {
        const int at = t.first_row + row;
        a[term].at[row] =
            term < count && at < p.rows
                ? p.a[found[term].of_a + static_cast<std::int64_t>(at) * row_step_of_a<pass>(p.g)]
                : 0.0F;
    }
    for (int i = me / tile; i < terms; i += threads / tile) {
        b[i].at[me % tile] =
            i < count && has_column ? element_of_b<pass>(p, found[i].of_b, column) : 0.0F;
    }
}

template <Pass pass>
__device__ void store(const Product& p, const Tile& t, int row, int column,
                      const float (&sums)[rows_each][columns_each]) {
    for (int j = 0; j < columns_each; ++j) {
        if (t.first_column + column + j >= p.columns) {
            return;
        }
        float* const c = p.c + first_of_c<pass>(p.g, t, t.first_column + column + j);
        for (int i = 0; i < rows_each; ++i) {
            const int at = t.first_row + row + i;
            if (at < p.rows) {
                const float bias = p.bias == nullptr ? 0.0F : p.bias[t.group * p.rows + at];
                c[static_cast<std::int64_t>(at) * row_step_of_c<pass>(p.g)] = sums[i][j] + bias;
            }
        }
    }
}

template <Pass pass>
__global__ void __launch_bounds__(threads) multiply(Product p, std::int64_t tiles) {
    TRAINSCOPE_SHARED(Term, found, [2][terms]);
    TRAINSCOPE_SHARED(Line, a, [terms]);
    TRAINSCOPE_SHARED(Line, b, [terms]);
    const int me = static_cast<int>(threadIdx.x);
    const int row = me / (tile / columns_each) * rows_each;
    const int column = me % (tile / columns_each) * columns_each;
    for (std::int64_t index = blockIdx.x; index < tiles; index += gridDim.x) {
        const Tile t(p, pass, index);
        const std::int64_t loaded = t.first_column + me % tile;
        const bool has_column = loaded < p.columns;
        const Place place = has_column ? place_of_column<pass>(p.g, t, loaded) : Place{0, 0, 0};
        const bool works = t.first_row + row < p.rows && t.first_column + column < p.columns;
        float sums[rows_each][columns_each] = {};
        float folded[rows_each][columns_each] = {};
        int step = 0;
        find_terms<pass>(p, t, t.first_term, found[0]);
        __syncthreads();
        for (std::int64_t first = t.first_term; first < t.last_term; first += terms, ++step) {
            const int count = static_cast<int>(min(std::int64_t{terms}, t.last_term - first));
            load<pass>(p, t, count, found[step % 2], place, has_column, a, b);
            find_terms<pass>(p, t, first + terms, found[(step + 1) % 2]);
            __syncthreads();
            if (works) {
                multiply_step(a, b, row, column, sums);
                if (step % steps_of_sum == steps_of_sum - 1) {
                    fold(sums, folded);
                }
            }
            __syncthreads();  // before the next elements are written
        }
        fold(sums, folded);
        if (works) {
            store<pass>(p, t, row, column, folded);
        }
    }
}

template <Pass pass>
void launch_pass(cudaStream_t stream, const Conv2d::Shape& shape, Product p) {
    p.row_tiles = (p.rows + tile - 1) / tile;
    p.column_tiles = (p.columns + tile - 1) / tile;
    const std::int64_t tiles =
        p.row_tiles * p.column_tiles * shape.groups * (pass == Pass::weight ? p.splits.parts : 1);
    launch(on(stream, blocks_for(tiles, 1, 65535), threads), multiply<pass>, p, tiles);
}

class ImplicitGemm final : public conv2d::Rung {
  public:
    using Rung::Rung;

    void forward(const Conv2d::Forward& args) override {
        launch_pass<Pass::forward>(stream_, shape_,
                                   {.g = geometry_,
                                    .splits = splits_,
                                    .rows = geometry_.group_k,
                                    .columns = shape_.n * shape_.out_h() * shape_.out_w(),
                                    .terms = shape_.c / shape_.groups * shape_.r * shape_.s,
                                    .row_tiles = 0,
                                    .column_tiles = 0,
                                    .a = args.weight,
                                    .b = args.x,
                                    .bias = args.bias,
                                    .c = args.y});
    }

  private:
    void weight_parts(const Conv2d::Backward& args, float* partial) override {
        conv2d::launch_implicit_weight_parts(stream_, shape_, splits_, args, partial);
    }
    void input_gradient(const Conv2d::Backward& args) override {
        launch_pass<Pass::input>(stream_, shape_,
                                 {.g = geometry_,
                                  .splits = splits_,
                                  .rows = geometry_.group_c,
                                  .columns = shape_.n * shape_.h * shape_.w,
                                  .terms = shape_.k / shape_.groups * shape_.r * shape_.s,
                                  .row_tiles = 0,
                                  .column_tiles = 0,
                                  .a = args.weight,
                                  .b = args.dy,
                                  .bias = nullptr,
                                  .c = args.dx});
    }
};

const Registered<Conv2d> registered{
    device_kind, conv2d::variant<ImplicitGemm>(
                     "implicit_gemm",
                     "A product of matrices in registers, with im2col's indices on the fly.", 20)};

}  // namespace

namespace conv2d {

void launch_implicit_weight_parts(cudaStream_t stream, const Conv2d::Shape& shape,
                                  const Splits& splits, const Conv2d::Backward& args,
                                  float* partial) {
    const Geometry geometry = geometry_of(shape);
    launch_pass<Pass::weight>(stream, shape,
                              {.g = geometry,
                               .splits = splits,
                               .rows = geometry.group_k,
                               .columns = shape.c / shape.groups * shape.r * shape.s,
                               .terms = shape.n * shape.out_h() * shape.out_w(),
                               .row_tiles = 0,
                               .column_tiles = 0,
                               .a = args.dy,
                               .b = args.x,
                               .bias = nullptr,
                               .c = partial});
}

}  // namespace conv2d
}  // namespace trainscope::cuda
