// SPDX-License-Identifier: GPL-3.0-or-later
// Inverse `lapack_lu`: LAPACK's sgetrf and sgetri, which need no second matrix. The transpose that
// the library sees has the transposed inverse, so that nothing is moved.
// Bound by multiplications. Refuses nothing.
#include <algorithm>

#include "engine/cpu/openblas.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/matrix_inverse.h"
#include "engine/ops/workspace_pieces.h"

namespace trainscope::cpu {
namespace {

// What sgetri would like to have.
int work_floats(std::int64_t size) {
    const int n = blas_size(size);
    const int ask = -1;
    int info = 0;
    float best = 0;
    sgetri_(&n, nullptr, &n, nullptr, &best, &ask, &info);
    return std::max(n, static_cast<int>(best));
}

struct Workspace {
    Workspace(std::int64_t n, int floats, void* memory) : pieces(memory) {
        pivots = pieces.take<int>(n);
        work = pieces.take<float>(floats);
    }
    WorkspacePieces pieces;
    int* pivots;
    float* work;
};

class LapackLu final : public MatrixInverse::Kernel {
  public:
    LapackLu(const MatrixInverse::Shape& shape, const KernelContext& context)
        : n_(blas_size(shape.n)), work_floats_(work_floats(shape.n)), threads_(context.threads) {}

    void run(const MatrixInverse::Args& args) override {
        const OpenBlasThreads threads(threads_);
        const Workspace own(n_, work_floats_, args.workspace);
        std::copy_n(args.a, static_cast<std::int64_t>(n_) * n_, args.inverse);
        int info = 0;
        sgetrf_(&n_, &n_, args.inverse, &n_, own.pivots, &info);
        *args.info = info;
        if (info == 0) {
            sgetri_(&n_, args.inverse, &n_, own.pivots, own.work, &work_floats_, &info);
        }
    }

  private:
    int n_;
    int work_floats_;
    int threads_;
};

const Registered<MatrixInverse> registered{
    DeviceKind::cpu,
    {.name = "lapack_lu",
     .description = "LAPACK: LU with partial pivoting, then the inverse of its factors.",
     .refuses = [](const MatrixInverse::Shape&) { return std::nullopt; },
     .workspace_bytes =
         [](const MatrixInverse::Shape& shape, const KernelContext&) {
             return Workspace(shape.n, work_floats(shape.n), nullptr).pieces.bytes();
         },
     .make = [](const MatrixInverse::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<MatrixInverse::Kernel> {
         return std::make_unique<LapackLu>(shape, context);
     }}};

}  // namespace
}  // namespace trainscope::cpu
