// SPDX-License-Identifier: GPL-3.0-or-later
// Pseudo-inverse `cusolver_svd`: NVIDIA's library decomposes a copy of the matrix by QR steps
// (gesvd), a kernel divides U's columns by the singular values, and cuBLAS multiplies. The library
// wants no fewer rows than columns, column by column: of a wide matrix that is the transpose it
// sees in memory, a tall one is transposed. Bound by the reduction to bidiagonal form, half of
// which is bound by memory. Refuses where the library is missing.
#include "engine/cuda/blas.h"
#include "engine/cuda/kernel.h"
#include "engine/cuda/solver.h"
#include "engine/ops/matrix_pseudo_inverse.h"
#include "engine/ops/workspace_pieces.h"

namespace trainscope::cuda {
namespace {

using Shape = MatrixPseudoInverse::Shape;
constexpr unsigned threads = 256;

// to [columns, rows] or, not transposed, [rows, columns] = from [rows, columns]
__global__ void copy_matrix(const float* from, std::int64_t rows, std::int64_t columns,
                            bool transposed, float* to) {
    for (std::int64_t i = global_thread(); i < rows * columns; i += grid_threads()) {
        to[i] = transposed ? from[i % rows * columns + i / rows] : from[i];
    }
}

// u [length, count], column by column, times the pseudo-inverse of the singular values.
__global__ void divide_columns(const float* singular, float zero_share, std::int64_t length,
                               std::int64_t count, float* u) {
    const float zero = singular[0] * zero_share;
    for (std::int64_t i = global_thread(); i < length * count; i += grid_threads()) {
        const float value = singular[i / length];
        u[i] = value > zero ? u[i] / value : 0.0F;
    }
}

struct Workspace {
    Workspace(const Shape& s, std::int64_t work_floats, void* memory) : pieces(memory) {
        blas = pieces.take<std::byte>(Blas::workspace_bytes);
        a = pieces.take<float>(s.m * s.n);
        singular = pieces.take<float>(s.least());
        u = pieces.take<float>(s.most() * s.least());
        vt = pieces.take<float>(s.least() * s.least());
        work = pieces.take<float>(work_floats);
        rest = pieces.take<float>(s.least());
    }
    WorkspacePieces pieces;
    std::byte* blas;
    float *a, *singular, *u, *vt, *work, *rest;
};

class Library final : public MatrixPseudoInverse::Kernel {
  public:
    Library(const Shape& shape, const KernelContext& context)
        : shape_(shape),
          stream_(stream_of(context)),
          blas_(blas_of(context)),
          solver_(solver_of(context)),
          work_floats_(solver_.svd_floats(shape.most(), shape.least())) {}

    void run(const MatrixPseudoInverse::Args& args) override {
        const auto [m, n] = shape_;
        const std::int64_t most = shape_.most();
        const std::int64_t least = shape_.least();
        const bool tall = m > n;
        const Workspace own(shape_, work_floats_, args.workspace);
        launch(on(stream_, blocks_for(m * n, threads), threads), copy_matrix, args.a, m, n, tall,
               own.a);
        solver_.svd({.rows = most,
                     .columns = least,
                     .a = own.a,
                     .singular = own.singular,
                     .u = own.u,
                     .vt = own.vt,
                     .work = own.work,
                     .work_floats = work_floats_,
                     .rest = own.rest,
                     .info = args.info});
        launch(on(stream_, blocks_for(most * least, threads), threads), divide_columns,
               own.singular, MatrixPseudoInverse::zero_share(shape_), most, least, own.u);
        // Row by row the library's columns are u [least, most] and vt [least, least], transposed
        // both. Of a tall matrix A+ = V * (U / S)^T; of a wide one, whose transpose was decomposed,
        // A+ = (U / S) * V^T.
        const BlasProduct::Factor u{.data = own.u, .stride = most, .transposed = !tall};
        const BlasProduct::Factor v{.data = own.vt, .stride = least, .transposed = !tall};
        blas_.multiply({.rows = n,
                        .columns = m,
                        .depth = least,
                        .a = tall ? v : u,
                        .b = tall ? u : v,
                        .c = args.pseudo_inverse,
                        .c_stride = m},
                       Arithmetic::fp32, own.blas);
    }

  private:
    Shape shape_;
    cudaStream_t stream_;
    Blas& blas_;
    Solver& solver_;
    std::int64_t work_floats_;
};

const Registered<MatrixPseudoInverse> registered{
    device_kind,
    {.name = "cusolver_svd",
     .description = "NVIDIA's library: singular values by QR steps, then one product.",
     .refuses = [](const Shape&) { return missing_solver_library(); },
     .workspace_bytes =
         [](const Shape& shape, const KernelContext& context) {
             const std::int64_t floats = solver_of(context).svd_floats(shape.most(), shape.least());
             return Workspace(shape, floats, nullptr).pieces.bytes();
         },
     .make = [](const Shape& shape,
                const KernelContext& context) -> std::unique_ptr<MatrixPseudoInverse::Kernel> {
         return std::make_unique<Library>(shape, context);
     }}};

}  // namespace
}  // namespace trainscope::cuda
