// SPDX-License-Identifier: GPL-3.0-or-later
// cublasLt's product by that of cuBLAS's stand-in, and its epilogue behind that.
#include "engine/cuda/emulation/cublaslt_api.h"

#include <algorithm>
#include <cstring>

#include "engine/cuda/emulation/faults.h"
#include "engine/cuda/emulation/graph.h"
#include "engine/cuda/emulation/library_memory.h"

namespace trainscope::emulation {

struct EmulatedMatmul {
    cublasComputeType_t compute;
    cublasOperation_t transa = CUBLAS_OP_N, transb = CUBLAS_OP_N;
    cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    const float* bias = nullptr;
};
struct EmulatedMatrixLayout {
    cudaDataType_t type;
    std::int64_t rows, columns, stride;
};
struct EmulatedMatmulPreference {
    std::size_t workspace_bytes = 0;
    std::uint32_t alignment = 256;  // the least of all matrices'
};

namespace {

template <class Value>
cublasStatus_t assign(Value& place, const void* value, std::size_t bytes) {
    if (value == nullptr || bytes != sizeof(place)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    std::memcpy(&place, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

bool fits(const EmulatedMatmul& matmul, const EmulatedMatrixLayout& a,
          const EmulatedMatrixLayout& b, const EmulatedMatrixLayout& c,
          const EmulatedMatrixLayout& d) {
    const bool at = matmul.transa == CUBLAS_OP_T;
    const bool bt = matmul.transb == CUBLAS_OP_T;
    const std::int64_t m = at ? a.columns : a.rows;
    const std::int64_t n = bt ? b.rows : b.columns;
    return (at ? a.rows : a.columns) == (bt ? b.columns : b.rows) && c.rows == m &&
           c.columns == n && d.rows == m && d.columns == n && d.stride == c.stride;
}

cublasStatus_t multiply(const EmulatedMatmul& matmul, const void* alpha, const void* a,
                        const EmulatedMatrixLayout& of_a, const void* b,
                        const EmulatedMatrixLayout& of_b, const void* beta, void* d,
                        const EmulatedMatrixLayout& of_d, void* workspace, std::size_t bytes,
                        cudaStream_t stream) {
    cublasHandle_t blas = nullptr;
    cublasStatus_t status = cublasCreate(&blas);
    if (status != CUBLAS_STATUS_SUCCESS) {
        return status;
    }
    cublasSetStream(blas, stream);
    if (bytes > 0) {
        status = cublasSetWorkspace(blas, workspace, bytes);
    }
    if (status == CUBLAS_STATUS_SUCCESS) {
        status = cublasGemmStridedBatchedEx_64(
            blas, matmul.transa, matmul.transb, of_d.rows, of_d.columns,
            matmul.transa == CUBLAS_OP_T ? of_a.rows : of_a.columns, alpha, a, of_a.type,
            of_a.stride, 0, b, of_b.type, of_b.stride, 0, beta, d, of_d.type, of_d.stride, 0, 1,
            matmul.compute, CUBLAS_GEMM_DEFAULT);
    }
    cublasDestroy(blas);
    return status;
}

// The epilogue, done when the device comes to it; `bias` is nullptr without one.
cudaError_t finish(const float* bias, bool relu, float* d, const EmulatedMatrixLayout& of_d) {
    constexpr const char* call = "cublasLtMatmul";
    const DeviceMatrix result{d, of_d.rows, of_d.columns, of_d.stride};
    if ((bias != nullptr && !may_read({bias, of_d.rows, 1, 0}, call)) || !may_read(result, call) ||
        !may_write(result, call)) {
        return cudaErrorLaunchFailure;
    }
    for (std::int64_t column = 0; column < of_d.columns; ++column) {
        for (std::int64_t row = 0; row < of_d.rows; ++row) {
            float& value = d[column * of_d.stride + row];
            value += bias == nullptr ? 0.0F : bias[row];
            value = relu ? std::max(value, 0.0F) : value;
        }
    }
    return cudaSuccess;
}

}  // namespace

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute,
                                        cudaDataType_t scale_type) {
    if (scale_type != CUDA_R_32F) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    *made = new EmulatedMatmul{.compute = compute};
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t matmul) {
    delete matmul;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t matmul,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
    switch (attribute) {
        case CUBLASLT_MATMUL_DESC_TRANSA:
            return assign(matmul->transa, value, bytes);
        case CUBLASLT_MATMUL_DESC_TRANSB:
            return assign(matmul->transb, value, bytes);
        case CUBLASLT_MATMUL_DESC_EPILOGUE:
            return assign(matmul->epilogue, value, bytes);
        case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
            return assign(matmul->bias, value, bytes);
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType_t type,
                                          std::uint64_t rows, std::uint64_t columns,
                                          std::int64_t stride) {
    *made = new EmulatedMatrixLayout{type, static_cast<std::int64_t>(rows),
                                     static_cast<std::int64_t>(columns), stride};
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
    delete layout;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
    *made = new EmulatedMatmulPreference;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
    delete preference;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, std::size_t bytes) {
    if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES) {
        return assign(preference->workspace_bytes, value, bytes);
    }
    std::uint32_t alignment = 0;
    const cublasStatus_t status = assign(alignment, value, bytes);
    preference->alignment = std::min(preference->alignment, alignment);
    return status;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t matmul,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t* found,
                                              int* returned) {
    if (handle == nullptr) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (requested < 1 || !fits(*matmul, *a, *b, *c, *d)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    const std::size_t bytes = preference->workspace_bytes;
    *found = {.algo = {.data = {bytes, preference->alignment}},
              .workspaceSize = bytes,
              .state = CUBLAS_STATUS_SUCCESS,
              .wavesCount = 1,
              .reserved = {}};
    *returned = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t matmul,
                              const void* alpha, const void* a, cublasLtMatrixLayout_t a_layout,
                              const void* b, cublasLtMatrixLayout_t b_layout, const void* beta,
                              const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              std::size_t workspace_bytes, cudaStream_t stream) {
    if (handle == nullptr) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    const bool relu = matmul->epilogue == CUBLASLT_EPILOGUE_RELU ||
                      matmul->epilogue == CUBLASLT_EPILOGUE_RELU_BIAS;
    const bool adds_bias = matmul->epilogue == CUBLASLT_EPILOGUE_BIAS ||
                           matmul->epilogue == CUBLASLT_EPILOGUE_RELU_BIAS;
    if (!fits(*matmul, *a_layout, *b_layout, *c_layout, *d_layout) || algorithm == nullptr ||
        workspace_bytes < algorithm->data[0] || (adds_bias && matmul->bias == nullptr)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (c != d) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    for (const void* const place : {a, b, static_cast<const void*>(d)}) {
        if (reinterpret_cast<std::uintptr_t>(place) % algorithm->data[1] != 0) {
            return CUBLAS_STATUS_INVALID_VALUE;
        }
    }
    const cublasStatus_t status = multiply(*matmul, alpha, a, *a_layout, b, *b_layout, beta, d,
                                           *d_layout, workspace, algorithm->data[0], stream);
    if (status != CUBLAS_STATUS_SUCCESS || !(adds_bias || relu)) {
        return status;
    }
    const auto work = [bias = adds_bias ? matmul->bias : nullptr, relu, to = static_cast<float*>(d),
                       of_d = *d_layout] { return finish(bias, relu, to, of_d); };
    return enqueue(stream, work) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace trainscope::emulation
