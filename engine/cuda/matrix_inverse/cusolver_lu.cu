// SPDX-License-Identifier: GPL-3.0-or-later
// Inverse `cusolver_lu`: NVIDIA's library factors a copy of the matrix and solves for the columns
// of the identity (it has no getri). The transpose that it sees has the transposed inverse, so that
// nothing is moved. Bound by multiplications where the matrix is large, by the pivots' order where
// it is small. Refuses where the library is missing.
#include "engine/cuda/kernel.h"
#include "engine/cuda/solver.h"
#include "engine/ops/matrix_inverse.h"
#include "engine/ops/workspace_pieces.h"

namespace trainscope::cuda {
namespace {

constexpr unsigned threads = 256;

// The factors' place becomes the matrix, the inverse's the identity.
__global__ void prepare(const float* a, std::int64_t n, float* copy, float* inverse) {
    for (std::int64_t i = global_thread(); i < n * n; i += grid_threads()) {
        copy[i] = a[i];
        inverse[i] = i / n == i % n ? 1.0F : 0.0F;
    }
}

struct Workspace {
    Workspace(std::int64_t n, std::int64_t work_floats, void* memory) : pieces(memory) {
        lu = pieces.take<float>(n * n);
        work = pieces.take<float>(work_floats);
        pivots = pieces.take<int>(n);
        info_of_solve = pieces.take<int>(1);
    }
    WorkspacePieces pieces;
    float *lu, *work;
    int *pivots, *info_of_solve;
};

class Library final : public MatrixInverse::Kernel {
  public:
    Library(const MatrixInverse::Shape& shape, const KernelContext& context)
        : n_(shape.n),
          stream_(stream_of(context)),
          solver_(solver_of(context)),
          work_floats_(solver_.lu_floats(shape.n)) {}

    void run(const MatrixInverse::Args& args) override {
        const Workspace own(n_, work_floats_, args.workspace);
        launch(on(stream_, blocks_for(n_ * n_, threads), threads), prepare, args.a, n_, own.lu,
               args.inverse);
        solver_.lu(n_, own.lu, own.work, own.pivots, args.info);
        solver_.solve(n_, n_, own.lu, own.pivots, args.inverse, own.info_of_solve);
    }

  private:
    std::int64_t n_;
    cudaStream_t stream_;
    Solver& solver_;
    std::int64_t work_floats_;
};

const Registered<MatrixInverse> registered{
    device_kind,
    {.name = "cusolver_lu",
     .description = "NVIDIA's library: LU with partial pivoting, then the identity's columns.",
     .refuses = [](const MatrixInverse::Shape&) { return missing_solver_library(); },
     .workspace_bytes =
         [](const MatrixInverse::Shape& shape, const KernelContext& context) {
             return Workspace(shape.n, solver_of(context).lu_floats(shape.n), nullptr)
                 .pieces.bytes();
         },
     .make = [](const MatrixInverse::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<MatrixInverse::Kernel> {
         return std::make_unique<Library>(shape, context);
     }}};

}  // namespace
}  // namespace trainscope::cuda
