// SPDX-License-Identifier: GPL-3.0-or-later
// cuBLAS's products by OpenBLAS, which sees the operands as the tensor cores of a card would.
#include "engine/cuda/emulation/cublas_api.h"

#include <cblas.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/cuda/emulation/faults.h"
#include "engine/cuda/emulation/graph.h"
#include "engine/cuda/emulation/library_memory.h"

namespace trainscope::emulation {

struct EmulatedBlas {
    cudaStream_t stream = nullptr;
    void* workspace = nullptr;
    std::size_t workspace_bytes = 0;
};

namespace {

constexpr std::uintptr_t workspace_alignment = 256;

// What a caller keeps in the library's workspace is gone: both its ends, where his own would reach
// into it, become NaN.
void spoil_workspace(const EmulatedBlas& blas) {
    constexpr std::size_t most = 4096;
    const std::size_t end = std::min(blas.workspace_bytes, most);
    if (end > 0) {
        std::memset(blas.workspace, 0xFF, end);
        std::memset(static_cast<std::byte*>(blas.workspace) + blas.workspace_bytes - end, 0xFF,
                    end);
    }
}

// To the nearest value with so few bits behind the point; of two as near the even one.
float rounded(float value, unsigned mantissa_bits) {
    if (!std::isfinite(value)) {
        return value;
    }
    const unsigned dropped = 23 - mantissa_bits;
    std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    bits += (1U << (dropped - 1)) - 1 + (bits >> dropped & 1U);
    return std::bit_cast<float>(bits >> dropped << dropped);
}

// What a compute type leaves of an operand's mantissa.
unsigned mantissa_bits(cublasComputeType_t compute) {
    switch (compute) {
        case CUBLAS_COMPUTE_32F_FAST_16BF:
            return 7;
        case CUBLAS_COMPUTE_32F_FAST_TF32:
            return 10;
        case CUBLAS_COMPUTE_32F:
            break;
    }
    return 23;
}

// A factor as it lies in memory, [rows, columns] column by column.
struct Stored {
    const float* data;
    std::int64_t rows, columns, stride;
    std::vector<float> copy;  // of a factor with fewer bits

    void round_to(unsigned bits) {
        if (bits == 23) {
            return;
        }
        copy.resize(static_cast<std::size_t>(rows * columns));
        for (std::int64_t column = 0; column < columns; ++column) {
            std::transform(data + column * stride, data + column * stride + rows,
                           copy.begin() + column * rows,
                           [bits](float value) { return rounded(value, bits); });
        }
        data = copy.data();
        stride = std::max<std::int64_t>(rows, 1);
    }
};

struct Product {
    cublasOperation_t transa, transb;
    std::int64_t m, n, k;
    float alpha, beta;
    const float* a;
    std::int64_t lda;
    const float* b;
    std::int64_t ldb;
    float* c;
    std::int64_t ldc;
    unsigned bits;
};

// False: an operand is not the device's, which is noted as a fault.
bool multiply(const Product& p) {
    constexpr const char* call = "cublasGemmStridedBatchedEx";
    const bool at = p.transa == CUBLAS_OP_T;
    const bool bt = p.transb == CUBLAS_OP_T;
    Stored a{p.a, at ? p.k : p.m, at ? p.m : p.k, p.lda, {}};
    Stored b{p.b, bt ? p.n : p.k, bt ? p.k : p.n, p.ldb, {}};
    const DeviceMatrix c{p.c, p.m, p.n, p.ldc};
    if (!may_read({a.data, a.rows, a.columns, a.stride}, call) ||
        !may_read({b.data, b.rows, b.columns, b.stride}, call) ||
        (p.beta != 0 && !may_read(c, call)) || !may_write(c, call)) {
        return false;
    }
    a.round_to(p.bits);
    b.round_to(p.bits);
    const auto small = [](std::int64_t value) { return static_cast<blasint>(value); };
    cblas_sgemm(CblasColMajor, at ? CblasTrans : CblasNoTrans, bt ? CblasTrans : CblasNoTrans,
                small(p.m), small(p.n), small(p.k), p.alpha, a.data, small(a.stride), b.data,
                small(b.stride), p.beta, p.c, small(p.ldc));
    return true;
}

}  // namespace

const char* cublasGetStatusName(cublasStatus_t status) {
    switch (status) {
        case CUBLAS_STATUS_SUCCESS:
            return "CUBLAS_STATUS_SUCCESS";
        case CUBLAS_STATUS_NOT_INITIALIZED:
            return "CUBLAS_STATUS_NOT_INITIALIZED";
        case CUBLAS_STATUS_INVALID_VALUE:
            return "CUBLAS_STATUS_INVALID_VALUE";
        case CUBLAS_STATUS_EXECUTION_FAILED:
            return "CUBLAS_STATUS_EXECUTION_FAILED";
        case CUBLAS_STATUS_NOT_SUPPORTED:
            return "CUBLAS_STATUS_NOT_SUPPORTED";
    }
    return "CUBLAS_STATUS_UNKNOWN";
}

const char* cublasGetStatusString(cublasStatus_t status) {
    switch (status) {
        case CUBLAS_STATUS_SUCCESS:
            return "success";
        case CUBLAS_STATUS_NOT_INITIALIZED:
            return "the library was not initialized";
        case CUBLAS_STATUS_INVALID_VALUE:
            return "an unsupported value or parameter was passed to the function";
        case CUBLAS_STATUS_EXECUTION_FAILED:
            return "the function failed to launch on the GPU";
        case CUBLAS_STATUS_NOT_SUPPORTED:
            return "the functionality requested is not supported";
    }
    return "unknown status";
}

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
    if (has_faults()) {
        *handle = nullptr;
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    // As the fibers, and for the same bits wherever there are other cores.
    openblas_set_num_threads(1);
    *handle = new EmulatedBlas;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle) {
    if (handle == nullptr) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
    if (handle == nullptr) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    *handle = {.stream = stream};  // the workspace is the library's own again
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* workspace, std::size_t bytes) {
    if (handle == nullptr) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (reinterpret_cast<std::uintptr_t>(workspace) % workspace_alignment != 0 ||
        !may_write({workspace, static_cast<std::int64_t>(bytes / sizeof(float)), 1, 0},
                   "cublasSetWorkspace")) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    handle->workspace = workspace;
    handle->workspace_bytes = bytes;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmStridedBatchedEx_64(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, std::int64_t m,
    std::int64_t n, std::int64_t k, const void* alpha, const void* a, cudaDataType_t type_a,
    std::int64_t lda, long long stride_a, const void* b, cudaDataType_t type_b, std::int64_t ldb,
    long long stride_b, const void* beta, void* c, cudaDataType_t type_c, std::int64_t ldc,
    long long stride_c, std::int64_t count, cublasComputeType_t compute,
    cublasGemmAlgo_t /*algorithm*/) {
    if (handle == nullptr) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    const std::int64_t rows_a = transa == CUBLAS_OP_N ? m : k;
    const std::int64_t rows_b = transb == CUBLAS_OP_N ? k : n;
    if (m < 0 || n < 0 || k < 0 || count < 0 || alpha == nullptr || beta == nullptr ||
        lda < std::max<std::int64_t>(1, rows_a) || ldb < std::max<std::int64_t>(1, rows_b) ||
        ldc < std::max<std::int64_t>(1, m)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    constexpr std::int64_t most = std::numeric_limits<blasint>::max();  // OpenBLAS's
    if (type_a != CUDA_R_32F || type_b != CUDA_R_32F || type_c != CUDA_R_32F ||
        std::max({m, n, k, lda, ldb, ldc}) > most) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (has_faults()) {
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }
    const Product first{.transa = transa,
                        .transb = transb,
                        .m = m,
                        .n = n,
                        .k = k,
                        .alpha = *static_cast<const float*>(alpha),
                        .beta = *static_cast<const float*>(beta),
                        .a = static_cast<const float*>(a),
                        .lda = lda,
                        .b = static_cast<const float*>(b),
                        .ldb = ldb,
                        .c = static_cast<float*>(c),
                        .ldc = ldc,
                        .bits = mantissa_bits(compute)};
    const auto work = [=, blas = *handle] {
        spoil_workspace(blas);
        for (std::int64_t i = 0; i < count; ++i) {
            Product product = first;
            product.a += i * stride_a;
            product.b += i * stride_b;
            product.c += i * stride_c;
            if (!multiply(product)) {
                return cudaErrorLaunchFailure;
            }
        }
        return cudaSuccess;
    };
    return enqueue(handle->stream, work) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                        : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace trainscope::emulation
