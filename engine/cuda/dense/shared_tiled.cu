// SPDX-License-Identifier: GPL-3.0-or-later
// Dense layer `shared_tiled`: a block computes a tile of 16 x 16 results and reads both factors
// tile by tile into shared memory, so that each value is read from device memory a sixteenth as
// often as in `naive`. All three passes are the same product C = A * B of matrices that are stored
// along rows or along columns.
#include "engine/cuda/dense/bias_gradient.h"
#include "engine/cuda/kernel.h"
#include "engine/cuda/long_sum.h"
#include "engine/ops/dense.h"

namespace trainscope::cuda {
namespace {

constexpr unsigned tile = 16;

// Element (row, column) is at data[row * row_stride + column * column_stride].
struct Matrix {
    const float* data;
    std::int64_t row_stride;
    std::int64_t column_stride;
};

struct Product {
    std::int64_t rows, columns, depth;  // C [rows, columns] in row-major order
    Matrix a, b;
    const float* bias;  // one a column, or nullptr
    float* c;
    bool accumulate;
};

__global__ void multiply(Product p) {
    // One column more than a tile, so that threads of a warp reading down a column meet other
    // banks.
    TRAINSCOPE_SHARED(float, a_tile, [tile][tile + 1]);
    TRAINSCOPE_SHARED(float, b_tile, [tile][tile + 1]);
    const unsigned x = threadIdx.x;
    const unsigned y = threadIdx.y;
    const std::int64_t tiles_across = (p.columns + tile - 1) / tile;
    const std::int64_t tiles = tiles_across * ((p.rows + tile - 1) / tile);
    for (std::int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        const std::int64_t row = t / tiles_across * tile + y;
        const std::int64_t column = t % tiles_across * tile + x;
        float all = 0;
        float sum = 0;  // of the terms since `all`
        for (std::int64_t start = 0; start < p.depth; start += tile) {
            const std::int64_t across = start + x;
            const std::int64_t down = start + y;
            a_tile[y][x] = row < p.rows && across < p.depth
                               ? p.a.data[row * p.a.row_stride + across * p.a.column_stride]
                               : 0.0F;
            b_tile[y][x] = down < p.depth && column < p.columns
                               ? p.b.data[down * p.b.row_stride + column * p.b.column_stride]
                               : 0.0F;
            __syncthreads();
            for (unsigned k = 0; k < tile; ++k) {
                sum += a_tile[y][k] * b_tile[k][x];
            }
            if ((start + tile) % terms_of_sum == 0) {
                all += sum;
                sum = 0;
            }
            __syncthreads();
        }
        all += sum;
        if (row < p.rows && column < p.columns) {
            float* const c = p.c + row * p.columns + column;
            const float with_bias = p.bias == nullptr ? all : all + p.bias[column];
            *c = p.accumulate ? *c + with_bias : with_bias;
        }
    }
}

class SharedTiled final : public Dense::Kernel {
  public:
    SharedTiled(const Dense::Shape& shape, cudaStream_t stream) : shape_(shape), stream_(stream) {}

    void forward(const Dense::Forward& args) override {
        run({.rows = shape_.n,
             .columns = shape_.out,
             .depth = shape_.in,
             .a = {args.x, shape_.in, 1},
             .b = {args.weight, 1, shape_.in},
             .bias = args.bias,
             .c = args.y,
             .accumulate = false});
    }
    void backward(const Dense::Backward& args) override {
        run({.rows = shape_.out,
             .columns = shape_.in,
             .depth = shape_.n,
             .a = {args.dy, 1, shape_.out},
             .b = {args.x, shape_.in, 1},
             .bias = nullptr,
             .c = args.dweight,
             .accumulate = args.accumulate});
        if (args.dbias != nullptr) {
            dense::launch_bias_gradient(stream_, shape_, args);
        }
        if (args.dx != nullptr) {
            run({.rows = shape_.n,
                 .columns = shape_.in,
                 .depth = shape_.out,
                 .a = {args.dy, shape_.out, 1},
                 .b = {args.weight, shape_.in, 1},
                 .bias = nullptr,
                 .c = args.dx,
                 .accumulate = false});
        }
    }

  private:
    void run(const Product& product) {
        const std::int64_t tiles =
            ((product.rows + tile - 1) / tile) * ((product.columns + tile - 1) / tile);
        launch(on(stream_, blocks_for(tiles, 1), dim3(tile, tile)), multiply, product);
    }

    Dense::Shape shape_;
    cudaStream_t stream_;
};

const Registered<Dense> registered{
    device_kind,
    {.name = "shared_tiled",
     .description = "Tiles of 16 x 16 through shared memory: a sixteenth of naive's reads.",
     .preference = 10,
     .refuses = [](const Dense::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const Dense::Shape&, const KernelContext&) { return std::int64_t{0}; },
     .make = [](const Dense::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<Dense::Kernel> {
         return std::make_unique<SharedTiled>(shape, stream_of(context));
     }}};

}  // namespace
}  // namespace trainscope::cuda
