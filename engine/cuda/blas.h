// SPDX-License-Identifier: GPL-3.0-or-later
// cuBLAS for kernel variants: one handle a runtime, a workspace that the caller owns, and products
// of matrices that lie row by row, as tensors do.
#pragma once

#include <cstdint>
#include <source_location>

#ifdef TRAINSCOPE_EMULATED
#include "engine/cuda/emulation/cublas_api.h"
#else
#include <cublas_v2.h>
#endif

#include "engine/cuda/kernel.h"

namespace trainscope::cuda {

// C [rows, columns] = A [rows, depth] * B [depth, columns], and so for each of a batch.
struct BlasProduct {
    // Rows in memory are `stride` values apart. Transposed: the columns lie in memory as rows do.
    struct Factor {
        const float* data;
        std::int64_t stride;
        bool transposed = false;
        std::int64_t step = 0;  // to the next of the batch
    };
    std::int64_t rows, columns, depth;
    Factor a, b;
    float* c;
    std::int64_t c_stride;
    std::int64_t c_step = 0;
    std::int64_t count = 1;
    bool accumulate = false;  // add to what is in C
};

class Blas {
  public:
    explicit Blas(cudaStream_t stream);
    ~Blas();
    Blas(const Blas&) = delete;
    Blas& operator=(const Blas&) = delete;

    // What multiply() is given. A plan of memory is made without a device, so that this is what
    // NVIDIA recommends for the architecture that wants most of it, Hopper; the emulated device has
    // what is recommended for the others.
    static constexpr std::int64_t workspace_bytes =
        std::int64_t{1} << (device_kind == DeviceKind::emulated ? 22 : 25);
    // On the runtime's stream; the same bits each time. Without a workspace the library uses one of
    // its own, which no plan counts.
    void multiply(const BlasProduct& product, Arithmetic arithmetic, void* workspace);
    // For calls of the library that are not above; nullptr where it could not be made, which is
    // noted.
    cublasHandle_t handle() const { return handle_; }

  private:
    cudaStream_t stream_;
    cublasHandle_t handle_ = nullptr;
};

// Keeps what a call answered as the first error, where that is none yet and it did not succeed.
void note_blas(cublasStatus_t status, const char* call,
               std::source_location at = std::source_location::current());

// The rule by which "auto" takes a variant that is a product by the library: where factors and
// result have at least the bytes that its workspace takes on a card; below that the workspace would
// be the greater part of what the product costs. The emulated device chooses as a card does.
constexpr bool is_worth_blas_workspace(std::int64_t values) {
    constexpr std::int64_t workspace_floats = std::int64_t{1} << 23;
    return values >= workspace_floats;
}

// That of the runtime a kernel is made for.
Blas& blas_of(const KernelContext& context);

}  // namespace trainscope::cuda
