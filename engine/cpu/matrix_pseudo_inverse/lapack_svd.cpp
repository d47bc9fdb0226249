// SPDX-License-Identifier: GPL-3.0-or-later
// Pseudo-inverse `lapack_svd`: LAPACK's sgesdd (divide and conquer), then one product of matrices.
// The transpose that the library sees has the transposed pseudo-inverse, so that nothing is moved.
// Bound by the reduction to bidiagonal form, half of which is bound by memory. Refuses nothing.
#include <algorithm>

#include "engine/cpu/openblas.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/matrix_pseudo_inverse.h"
#include "engine/ops/workspace_pieces.h"

namespace trainscope::cpu {
namespace {

using Shape = MatrixPseudoInverse::Shape;

// What sgesdd would like to have for the transpose of [m, n].
int work_floats(const Shape& shape) {
    const int rows = blas_size(shape.n);
    const int columns = blas_size(shape.m);
    const int least = blas_size(shape.least());
    const int ask = -1;
    int info = 0;
    float best = 0;
    sgesdd_("S", &rows, &columns, nullptr, &rows, nullptr, nullptr, &rows, nullptr, &least, &best,
            &ask, nullptr, &info);
    return static_cast<int>(best * (1 + std::numeric_limits<float>::epsilon())) + 1;
}

struct Workspace {
    Workspace(const Shape& s, int floats, void* memory) : pieces(memory) {
        a = pieces.take<float>(s.m * s.n);
        singular = pieces.take<float>(s.least());
        u = pieces.take<float>(s.n * s.least());
        vt = pieces.take<float>(s.least() * s.m);
        work = pieces.take<float>(floats);
        iwork = pieces.take<int>(8 * s.least());
    }
    WorkspacePieces pieces;
    float *a, *singular, *u, *vt, *work;
    int* iwork;
};

class LapackSvd final : public MatrixPseudoInverse::Kernel {
  public:
    LapackSvd(const Shape& shape, const KernelContext& context)
        : shape_(shape), work_floats_(work_floats(shape)), threads_(context.threads) {}

    // Column by column A^T [n, m] = U * S * V^T, and its pseudo-inverse V * S+ * U^T lies as that
    // of A does row by row: (U * S+) * V^T is its transpose, [n, m] row by row.
    void run(const MatrixPseudoInverse::Args& args) override {
        const OpenBlasThreads threads(threads_);
        const Workspace own(shape_, work_floats_, args.workspace);
        const int rows = blas_size(shape_.n);
        const int columns = blas_size(shape_.m);
        const int least = blas_size(shape_.least());
        std::copy_n(args.a, shape_.m * shape_.n, own.a);
        int info = 0;
        sgesdd_("S", &rows, &columns, own.a, &rows, own.singular, own.u, &rows, own.vt, &least,
                own.work, &work_floats_, own.iwork, &info);
        *args.info = info;
        if (info != 0) {
            return;
        }
        const float zero = own.singular[0] * MatrixPseudoInverse::zero_share(shape_);
        for (int i = 0; i < least; ++i) {
            const float value = own.singular[i];
            cblas_sscal(rows, value > zero ? 1 / value : 0.0F,
                        own.u + static_cast<std::int64_t>(i) * rows, 1);
        }
        // The library's columns are U's and V's transposes row by row.
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasTrans, rows, columns, least, 1, own.u, rows,
                    own.vt, least, 0, args.pseudo_inverse, columns);
    }

  private:
    Shape shape_;
    int work_floats_;
    int threads_;
};

const Registered<MatrixPseudoInverse> registered{
    DeviceKind::cpu,
    {.name = "lapack_svd",
     .description = "LAPACK: singular values by divide and conquer, then one product.",
     .refuses = [](const Shape&) { return std::nullopt; },
     .workspace_bytes =
         [](const Shape& shape, const KernelContext&) {
             return Workspace(shape, work_floats(shape), nullptr).pieces.bytes();
         },
     .make = [](const Shape& shape,
                const KernelContext& context) -> std::unique_ptr<MatrixPseudoInverse::Kernel> {
         return std::make_unique<LapackSvd>(shape, context);
     }}};

}  // namespace
}  // namespace trainscope::cpu
