// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of dy's columns: a block takes 32 neighbouring columns, so that a warp reads whole rows of
// them, and adds its 8 rows of threads by a tree in shared memory.
#include "engine/cuda/dense/bias_gradient.h"

namespace trainscope::cuda::dense {
namespace {

constexpr unsigned across = 32;
constexpr unsigned down = 8;

__global__ void bias_gradient(const float* dy, std::int64_t rows, std::int64_t columns,
                              float* dbias, bool accumulate) {
    TRAINSCOPE_SHARED(float, partial, [down][across]);
    const unsigned x = threadIdx.x;
    const unsigned y = threadIdx.y;
    for (std::int64_t first = std::int64_t{blockIdx.x} * across; first < columns;
         first += std::int64_t{gridDim.x} * across) {
        const std::int64_t column = first + x;
        float sum = 0;
        for (std::int64_t row = y; column < columns && row < rows; row += down) {
            sum += dy[row * columns + column];
        }
        partial[y][x] = sum;
        __syncthreads();
        for (unsigned half = down / 2; half > 0; half /= 2) {
            if (y < half) {
                partial[y][x] += partial[y + half][x];
            }
            __syncthreads();
        }
        if (y == 0 && column < columns) {
            dbias[column] = accumulate ? dbias[column] + partial[0][x] : partial[0][x];
        }
        __syncthreads();  // before the next columns' sums are written
    }
}

}  // namespace

void launch_bias_gradient(cudaStream_t stream, const Dense::Shape& shape,
                          const Dense::Backward& args) {
    launch(on(stream, blocks_for(shape.out, across), dim3(across, down)), bias_gradient, args.dy,
           shape.n, shape.out, args.dbias, args.accumulate);
}

}  // namespace trainscope::cuda::dense
