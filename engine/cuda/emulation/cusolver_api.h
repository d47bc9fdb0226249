// SPDX-License-Identifier: GPL-3.0-or-later
// The calls of cuSOLVER that Trainscope uses, on the emulated device. Names, arguments, numbers and
// results are cuSOLVER's; matrices lie column by column, as there.
#pragma once

#include "engine/cuda/emulation/cublas_api.h"

namespace trainscope::emulation {

enum cusolverStatus_t : int {
    CUSOLVER_STATUS_SUCCESS = 0,
    CUSOLVER_STATUS_NOT_INITIALIZED = 1,
    CUSOLVER_STATUS_ALLOC_FAILED = 2,
    CUSOLVER_STATUS_INVALID_VALUE = 3,
    CUSOLVER_STATUS_EXECUTION_FAILED = 6,
    CUSOLVER_STATUS_INTERNAL_ERROR = 7,
};

using cusolverDnHandle_t = struct EmulatedSolver*;
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);

// A [m, n] = P * L * U, in its place. `pivots` and `info` are the device's: the first of the pivots
// that is zero, counted from 1, or 0.
cusolverStatus_t cusolverDnSgetrf_bufferSize(cusolverDnHandle_t handle, int m, int n, float* a,
                                             int lda, int* floats);
cusolverStatus_t cusolverDnSgetrf(cusolverDnHandle_t handle, int m, int n, float* a, int lda,
                                  float* work, int* pivots, int* info);
// op(A) * X = B by what getrf left; X takes the place of B [n, columns].
cusolverStatus_t cusolverDnSgetrs(cusolverDnHandle_t handle, cublasOperation_t operation, int n,
                                  int columns, const float* a, int lda, const int* pivots, float* b,
                                  int ldb, int* info);
// A [m, n] = U * S * V^T with m >= n, as the library wants it. jobu and jobvt 'S': the first n
// columns of U, and V^T. A is destroyed. rwork [n - 1].
cusolverStatus_t cusolverDnSgesvd_bufferSize(cusolverDnHandle_t handle, int m, int n, int* floats);
cusolverStatus_t cusolverDnSgesvd(cusolverDnHandle_t handle, signed char jobu, signed char jobvt,
                                  int m, int n, float* a, int lda, float* s, float* u, int ldu,
                                  float* vt, int ldvt, float* work, int floats, float* rwork,
                                  int* info);

}  // namespace trainscope::emulation
