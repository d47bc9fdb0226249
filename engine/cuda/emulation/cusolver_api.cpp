// SPDX-License-Identifier: GPL-3.0-or-later
// cuSOLVER's factorizations by LAPACK.
#include "engine/cuda/emulation/cusolver_api.h"

#include <cblas.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/core/lapack.h"
#include "engine/cuda/emulation/faults.h"
#include "engine/cuda/emulation/graph.h"
#include "engine/cuda/emulation/library_memory.h"

namespace trainscope::emulation {

struct EmulatedSolver {
    cudaStream_t stream = nullptr;
};

namespace {

// As many floats as a caller must have; what LAPACK itself needs is the host's.
int buffer_floats(int m, int n) {
    return 64 * std::max(m, n);
}

// A stretch of values of 4 bytes: all that the library takes is floats or ints.
DeviceMatrix stretch(const void* data, int count) {
    return {data, count, 1, count};
}

// What a caller keeps in the library's buffer is gone.
bool spoil(float* work, int floats, const char* call) {
    if (!may_write(stretch(work, floats), call)) {
        return false;
    }
    std::memset(work, 0xFF, static_cast<std::size_t>(floats) * sizeof(float));
    return true;
}

template <class Work>
cusolverStatus_t give(cusolverDnHandle_t handle, const Work& work) {
    if (has_faults()) {
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    }
    return enqueue(handle->stream, work) == cudaSuccess ? CUSOLVER_STATUS_SUCCESS
                                                        : CUSOLVER_STATUS_EXECUTION_FAILED;
}

}  // namespace

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
    if (has_faults()) {
        *handle = nullptr;
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    openblas_set_num_threads(1);  // as for cuBLAS's stand-in
    *handle = new EmulatedSolver;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
    if (handle == nullptr) {
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    delete handle;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
    if (handle == nullptr) {
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    handle->stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSgetrf_bufferSize(cusolverDnHandle_t handle, int m, int n, float* /*a*/,
                                             int lda, int* floats) {
    if (handle == nullptr) {
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    if (m < 0 || n < 0 || lda < std::max(1, m)) {
        return CUSOLVER_STATUS_INVALID_VALUE;
    }
    *floats = buffer_floats(m, n);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSgetrf(cusolverDnHandle_t handle, int m, int n, float* a, int lda,
                                  float* work, int* pivots, int* info) {
    constexpr const char* call = "cusolverDnSgetrf";
    if (handle == nullptr) {
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    if (m < 0 || n < 0 || lda < std::max(1, m)) {
        return CUSOLVER_STATUS_INVALID_VALUE;
    }
    return give(handle, [=] {
        if (!may_read({a, m, n, lda}, call) || !may_write({a, m, n, lda}, call) ||
            !may_write(stretch(pivots, std::min(m, n)), call) ||
            !may_write(stretch(info, 1), call) || !spoil(work, buffer_floats(m, n), call)) {
            return cudaErrorLaunchFailure;
        }
        sgetrf_(&m, &n, a, &lda, pivots, info);
        return cudaSuccess;
    });
}

cusolverStatus_t cusolverDnSgetrs(cusolverDnHandle_t handle, cublasOperation_t operation, int n,
                                  int columns, const float* a, int lda, const int* pivots, float* b,
                                  int ldb, int* info) {
    constexpr const char* call = "cusolverDnSgetrs";
    if (handle == nullptr) {
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    if (n < 0 || columns < 0 || lda < std::max(1, n) || ldb < std::max(1, n)) {
        return CUSOLVER_STATUS_INVALID_VALUE;
    }
    return give(handle, [=] {
        if (!may_read({a, n, n, lda}, call) || !may_read(stretch(pivots, n), call) ||
            !may_read({b, n, columns, ldb}, call) || !may_write({b, n, columns, ldb}, call) ||
            !may_write(stretch(info, 1), call)) {
            return cudaErrorLaunchFailure;
        }
        sgetrs_(operation == CUBLAS_OP_T ? "T" : "N", &n, &columns, a, &lda, pivots, b, &ldb, info);
        return cudaSuccess;
    });
}

cusolverStatus_t cusolverDnSgesvd_bufferSize(cusolverDnHandle_t handle, int m, int n, int* floats) {
    if (handle == nullptr) {
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    if (n < 0 || m < n) {
        return CUSOLVER_STATUS_INVALID_VALUE;
    }
    *floats = buffer_floats(m, n);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSgesvd(cusolverDnHandle_t handle, signed char jobu, signed char jobvt,
                                  int m, int n, float* a, int lda, float* s, float* u, int ldu,
                                  float* vt, int ldvt, float* work, int floats, float* rwork,
                                  int* info) {
    constexpr const char* call = "cusolverDnSgesvd";
    if (handle == nullptr) {
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    if (jobu != 'S' || jobvt != 'S' || n < 0 || m < n || lda < std::max(1, m) ||
        ldu < std::max(1, m) || ldvt < std::max(1, n) || floats < buffer_floats(m, n)) {
        return CUSOLVER_STATUS_INVALID_VALUE;
    }
    return give(handle, [=] {
        if (!may_read({a, m, n, lda}, call) || !may_write({a, m, n, lda}, call) ||
            !may_write(stretch(s, n), call) || !may_write({u, m, n, ldu}, call) ||
            !may_write({vt, n, n, ldvt}, call) || !may_write(stretch(info, 1), call) ||
            !spoil(work, floats, call) || !spoil(rwork, n - 1, call)) {
            return cudaErrorLaunchFailure;
        }
        const int ask = -1;
        float best = 0;
        sgesvd_("S", "S", &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, &best, &ask, info);
        const int count = static_cast<int>(best) + 64;
        std::vector<float> own(static_cast<std::size_t>(count));
        sgesvd_("S", "S", &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, own.data(), &count, info);
        return cudaSuccess;
    });
}

}  // namespace trainscope::emulation
