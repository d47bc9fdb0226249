// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/blas.h"

#include "engine/cuda/error.h"

namespace trainscope::cuda {

namespace {

cublasComputeType_t compute_type(Arithmetic arithmetic) {
    switch (arithmetic) {
        case Arithmetic::tf32:
            return CUBLAS_COMPUTE_32F_FAST_TF32;
        case Arithmetic::bf16:
            return CUBLAS_COMPUTE_32F_FAST_16BF;
        case Arithmetic::fp32:
            break;
    }
    return CUBLAS_COMPUTE_32F;  // no tensor cores: the math mode stays the default one
}

}  // namespace

void note_blas(cublasStatus_t status, const char* call, std::source_location at) {
    if (status != CUBLAS_STATUS_SUCCESS) {
        note_failure(call, cublasGetStatusName(status), cublasGetStatusString(status), at);
    }
}

Blas::Blas(cudaStream_t stream) : stream_(stream) {
    note_blas(cublasCreate(&handle_), "cublasCreate");
}

Blas::~Blas() {
    if (handle_ != nullptr) {
        note_blas(cublasDestroy(handle_), "cublasDestroy");
    }
}

// The library takes matrices to lie column by column: what is C in rows is C's transpose there, and
// C^T = B^T * A^T, so that the factors change places and nothing is moved.
void Blas::multiply(const BlasProduct& p, Arithmetic arithmetic, void* workspace) {
    const auto operation = [](const BlasProduct::Factor& factor) {
        return factor.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    };
    const float one = 1;
    const float beta = p.accumulate ? 1 : 0;
    if (handle_ == nullptr) {
        return;  // that it could not be made is noted
    }
    // This also takes the library back to the workspace of its own.
    note_blas(cublasSetStream(handle_, stream_), "cublasSetStream");
    if (workspace != nullptr) {
        note_blas(cublasSetWorkspace(handle_, workspace, workspace_bytes), "cublasSetWorkspace");
    }
    note_blas(cublasGemmStridedBatchedEx_64(handle_, operation(p.b), operation(p.a), p.columns,
                                            p.rows, p.depth, &one, p.b.data, CUDA_R_32F, p.b.stride,
                                            p.b.step, p.a.data, CUDA_R_32F, p.a.stride, p.a.step,
                                            &beta, p.c, CUDA_R_32F, p.c_stride, p.c_step, p.count,
                                            compute_type(arithmetic), CUBLAS_GEMM_DEFAULT),
              "cublasGemmStridedBatchedEx");
}

}  // namespace trainscope::cuda
