// SPDX-License-Identifier: GPL-3.0-or-later
// Dense layer `cublaslt`: what `cublas` does in float32, but that the bias is added where the
// product is written, by an epilogue of the library's: one kernel less, and y is written once.
// As dense_relu the epilogue cuts off at zero too, and y is not read and written again by ReLU;
// what the library makes of NaN there is not documented. Back it is `cublas`. Refuses more rows or
// columns than the library counts in 32 bits.
#ifdef TRAINSCOPE_EMULATED
#include "engine/cuda/emulation/cublaslt_api.h"
#else
#include <cublasLt.h>
#endif

#include <algorithm>
#include <limits>

#include "engine/core/memory.h"
#include "engine/cuda/dense/blas_products.h"
#include "engine/ops/dense_relu_kernel.h"

namespace trainscope::cuda {
namespace {

// What the library describes things by, released with its owner; nullptr: why is noted.
template <class Handle, cublasStatus_t (*release)(Handle)>
class Owned {
  public:
    Owned() = default;
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() {
        if (handle_ != nullptr) {
            note_blas(release(handle_), "a cublasLt...Destroy");
        }
    }
    Handle* place() { return &handle_; }
    Handle get() const { return handle_; }

  private:
    Handle handle_ = nullptr;
};
using Matmul = Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Layout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Preference = Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

template <class Value>
void set(const Matmul& matmul, cublasLtMatmulDescAttributes_t attribute, const Value& value) {
    note_blas(cublasLtMatmulDescSetAttribute(matmul.get(), attribute, &value, sizeof(value)),
              "cublasLtMatmulDescSetAttribute");
}
template <class Value>
void set(const Preference& preference, cublasLtMatmulPreferenceAttributes_t attribute,
         const Value& value) {
    note_blas(
        cublasLtMatmulPreferenceSetAttribute(preference.get(), attribute, &value, sizeof(value)),
        "cublasLtMatmulPreferenceSetAttribute");
}

class Cublaslt final : public dense::BlasProducts {
  public:
    Cublaslt(const Dense::Shape& shape, const KernelContext& context, bool relu)
        : BlasProducts(shape, context, Arithmetic::fp32) {
        if (handle() == nullptr) {
            return;
        }
        note_blas(cublasLtMatmulDescCreate(matmul_.place(), CUBLAS_COMPUTE_32F, CUDA_R_32F),
                  "cublasLtMatmulDescCreate");
        // Column by column y^T [out, n] = weight * x^T, and the bias is as long as its columns.
        set(matmul_, CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
        set(matmul_, CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
        set(matmul_, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue(shape.bias, relu));
        lay_out(weight_, shape.in, shape.out);
        lay_out(x_, shape.in, shape.n);
        lay_out(y_, shape.out, shape.n);
        for_arena_ = choose(allocation_granularity, workspace_bytes);
        for_any_ = choose(sizeof(float), 0);
    }

    static std::optional<std::string> refuses(const Dense::Shape& s) {
        constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
        const std::int64_t longest = std::max({s.n, s.in, s.out});
        if (longest > most) {
            return "a matrix has " + std::to_string(longest) +
                   " rows or columns; cublasLt counts to " + std::to_string(most);
        }
        return std::nullopt;
    }

    // y = x * weight^T + bias
    void forward(const Dense::Forward& args) override {
        if (handle() == nullptr) {
            return;  // why is noted
        }
        const bool as_arena = for_arena_.status == CUBLAS_STATUS_SUCCESS &&
                              args.workspace != nullptr && is_aligned(args.x) &&
                              is_aligned(args.weight) && is_aligned(args.bias) &&
                              is_aligned(args.y);
        const Algorithm& by = as_arena ? for_arena_ : for_any_;
        note_blas(by.status, "cublasLtMatmulAlgoGetHeuristic");
        if (by.status != CUBLAS_STATUS_SUCCESS) {
            return;
        }
        if (args.bias != nullptr) {
            set(matmul_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, args.bias);
        }
        const float one = 1;
        const float zero = 0;
        note_blas(cublasLtMatmul(handle(), matmul_.get(), &one, args.weight, weight_.get(), args.x,
                                 x_.get(), &zero, args.y, y_.get(), args.y, y_.get(), &by.chosen,
                                 args.workspace, as_arena ? workspace_bytes : 0, stream_),
                  "cublasLtMatmul");
    }

    static constexpr std::size_t workspace_bytes = Blas::workspace_bytes;

  private:
    // A handle of cuBLAS is one of cublasLt, as NVIDIA documents.
    cublasLtHandle_t handle() const { return reinterpret_cast<cublasLtHandle_t>(blas_.handle()); }

    static void lay_out(Layout& made, std::int64_t rows, std::int64_t columns) {
        note_blas(
            cublasLtMatrixLayoutCreate(made.place(), CUDA_R_32F, static_cast<std::uint64_t>(rows),
                                       static_cast<std::uint64_t>(columns), rows),
            "cublasLtMatrixLayoutCreate");
    }

    static cublasLtEpilogue_t epilogue(bool bias, bool relu) {
        if (relu) {
            return bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
        }
        return bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
    }

    struct Algorithm {
        cublasStatus_t status = CUBLAS_STATUS_NOT_SUPPORTED;
        cublasLtMatmulAlgo_t chosen = {};
    };
    // The first that the library names for such addresses and so much workspace.
    Algorithm choose(std::int64_t alignment, std::size_t workspace) {
        Preference preference;
        note_blas(cublasLtMatmulPreferenceCreate(preference.place()),
                  "cublasLtMatmulPreferenceCreate");
        set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace);
        for (const auto attribute : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                                     CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                                     CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                                     CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
            set(preference, attribute, static_cast<std::uint32_t>(alignment));
        }
        if (shape_.bias) {
            // Here nothing but its alignment is looked at.
            set(matmul_, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                reinterpret_cast<const void*>(static_cast<std::uintptr_t>(alignment)));
        }
        cublasLtMatmulHeuristicResult_t found = {};
        int count = 0;
        const cublasStatus_t asked =
            cublasLtMatmulAlgoGetHeuristic(handle(), matmul_.get(), weight_.get(), x_.get(),
                                           y_.get(), y_.get(), preference.get(), 1, &found, &count);
        if (asked != CUBLAS_STATUS_SUCCESS || count == 0) {
            return {.status = asked != CUBLAS_STATUS_SUCCESS ? asked : CUBLAS_STATUS_NOT_SUPPORTED};
        }
        return {.status = found.state, .chosen = found.algo};
    }
    static bool is_aligned(const void* data) {
        return reinterpret_cast<std::uintptr_t>(data) % allocation_granularity == 0;
    }

    Matmul matmul_;
    Layout weight_, x_, y_;
    Algorithm for_arena_;  // of tensors that lie as an arena's do
    Algorithm for_any_;    // of others, and without a workspace
};

// Taken by its name: it was measured on no card yet.
const Registered<Dense> registered{
    device_kind,
    {.name = "cublaslt",
     .description = "NVIDIA's library in float32, which adds the bias as it writes the product.",
     .preference = -1,
     .refuses = Cublaslt::refuses,
     .workspace_bytes = [](const Dense::Shape&,
                           const KernelContext&) { return Blas::workspace_bytes; },
     .make = [](const Dense::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<Dense::Kernel> {
         return std::make_unique<Cublaslt>(shape, context, false);
     }}};

// The same holds for it.
const Registered<DenseRelu> registered_with_relu{
    device_kind,
    {.name = "cublaslt",
     .description = "NVIDIA's library in float32, which adds the bias and cuts off at zero as it "
                    "writes the product.",
     .preference = -1,
     .refuses = Cublaslt::refuses,
     .workspace_bytes = [](const Dense::Shape&,
                           const KernelContext&) { return Blas::workspace_bytes; },
     .make = [](const Dense::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<DenseRelu::Kernel> {
         return make_dense_relu(device_kind, shape, context,
                                std::make_unique<Cublaslt>(shape, context, true));
     }}};

}  // namespace
}  // namespace trainscope::cuda
