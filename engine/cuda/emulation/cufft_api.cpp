// SPDX-License-Identifier: GPL-3.0-or-later
// cuFFT's transforms by FFTW.
#include "engine/cuda/emulation/cufft_api.h"

#include <fftw3.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

#include "engine/cuda/emulation/device_memory.h"
#include "engine/cuda/emulation/faults.h"
#include "engine/cuda/emulation/graph.h"
#include "engine/cuda/emulation/library_memory.h"
#include "engine/cuda/emulation/stream.h"

namespace trainscope::emulation {

namespace {

constexpr std::uintptr_t work_alignment = 256;
constexpr std::size_t table_bytes = 256;  // of a plan, of the device

// FFTW plans one after another only; and the plans that there are.
std::mutex planning;

struct Plan {
    cudaStream_t stream = nullptr;
    bool automatic = true;
    void* work = nullptr;
    cufftType type = CUFFT_R2C;
    int height = 0, width = 0, batch = 0;
    fftwf_plan by_fftw = nullptr;
    void* tables = nullptr;

    Plan() = default;
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;
    ~Plan() {
        if (by_fftw != nullptr) {
            fftwf_destroy_plan(by_fftw);
        }
        device_release(tables);
    }
    int pitch() const { return 2 * (width / 2 + 1); }
    std::size_t bytes() const {
        return static_cast<std::size_t>(batch) * static_cast<std::size_t>(height * pitch()) *
               sizeof(float);
    }
    // Of all planes' rows: the real values, or the spectrum's.
    DeviceMatrix rows(const float* data, bool real) const {
        return {data, real ? width : pitch(), std::int64_t{batch} * height, pitch()};
    }
};

std::map<cufftHandle, std::shared_ptr<Plan>>& plans() {
    static std::map<cufftHandle, std::shared_ptr<Plan>> all;
    return all;
}

std::shared_ptr<Plan> find_plan(cufftHandle handle) {
    const std::lock_guard lock(planning);
    const auto found = plans().find(handle);
    return found == plans().end() ? nullptr : found->second;
}

// Done when the device comes to it.
cudaError_t transform(const Plan& plan, void* work, float* data, const char* call) {
    const bool from_real = plan.type == CUFFT_R2C;
    const std::size_t floats = plan.bytes() / sizeof(float);
    if (!may_write({work, static_cast<std::int64_t>(floats), 1, 0}, call) ||
        !may_read(plan.rows(data, from_real), call) ||
        !may_write(plan.rows(data, !from_real), call)) {
        return cudaErrorLaunchFailure;
    }
    // What a caller keeps in the work area is gone.
    std::fill_n(static_cast<float*>(work), floats, std::numeric_limits<float>::quiet_NaN());
    auto* const spectrum = reinterpret_cast<fftwf_complex*>(data);
    if (from_real) {
        fftwf_execute_dft_r2c(plan.by_fftw, data, spectrum);
    } else {
        fftwf_execute_dft_c2r(plan.by_fftw, spectrum, data);
    }
    return cudaSuccess;
}

cufftResult execute(cufftHandle handle, cufftType type, const void* in, void* out,
                    const char* call) {
    const std::shared_ptr<Plan> plan = find_plan(handle);
    if (plan == nullptr || plan->by_fftw == nullptr) {
        return CUFFT_INVALID_PLAN;
    }
    if (plan->type != type) {
        return CUFFT_INVALID_TYPE;
    }
    if (in != out) {
        return CUFFT_NOT_SUPPORTED;
    }
    if (plan->work == nullptr) {
        return CUFFT_NO_WORKSPACE;
    }
    if (has_faults()) {
        return CUFFT_EXEC_FAILED;
    }
    auto* const data = static_cast<float*>(out);
    // A graph that is replayed needs the plan: its tables are gone with it.
    const auto work = [=, area = plan->work, needed = std::weak_ptr(plan)] {
        const std::shared_ptr<Plan> alive = needed.lock();
        return alive == nullptr ? cudaErrorInvalidValue : transform(*alive, area, data, call);
    };
    return enqueue(plan->stream, work) == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

}  // namespace

cufftResult cufftCreate(cufftHandle* handle) {
    if (has_faults()) {
        return CUFFT_SETUP_FAILED;
    }
    const std::lock_guard lock(planning);
    *handle = plans().empty() ? 1 : plans().rbegin()->first + 1;
    plans().emplace(*handle, std::make_shared<Plan>());
    return CUFFT_SUCCESS;
}

cufftResult cufftDestroy(cufftHandle handle) {
    const std::lock_guard lock(planning);
    return plans().erase(handle) > 0 ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftSetAutoAllocation(cufftHandle handle, int automatic) {
    const std::shared_ptr<Plan> plan = find_plan(handle);
    if (plan == nullptr) {
        return CUFFT_INVALID_PLAN;
    }
    plan->automatic = automatic != 0;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
    const std::shared_ptr<Plan> plan = find_plan(handle);
    if (plan == nullptr) {
        return CUFFT_INVALID_PLAN;
    }
    plan->stream = stream;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle handle, void* area) {
    const std::shared_ptr<Plan> plan = find_plan(handle);
    if (plan == nullptr) {
        return CUFFT_INVALID_PLAN;
    }
    if (reinterpret_cast<std::uintptr_t>(area) % work_alignment != 0) {
        return CUFFT_INVALID_VALUE;
    }
    plan->work = area;
    return CUFFT_SUCCESS;
}

cufftResult cufftMakePlanMany(cufftHandle handle, int rank, int* n, int* inembed, int istride,
                              int idist, int* onembed, int ostride, int odist, cufftType type,
                              int batch, std::size_t* work_bytes) {
    const std::shared_ptr<Plan> plan = find_plan(handle);
    if (plan == nullptr || plan->by_fftw != nullptr) {
        return CUFFT_INVALID_PLAN;
    }
    if (rank != 2 || n[0] < 1 || n[1] < 1 || batch < 1) {
        return CUFFT_INVALID_SIZE;
    }
    const int across = n[1] / 2 + 1;
    const bool from_real = type == CUFFT_R2C;
    const std::array<int, 6> wanted = {n[0], from_real ? 2 * across : across, 1,
                                       n[0], from_real ? across : 2 * across, 1};
    const bool in_place =
        std::array{inembed[0], inembed[1], istride, onembed[0], onembed[1], ostride} == wanted &&
        idist == n[0] * wanted[1] && odist == n[0] * wanted[4];
    // Memory of its own is no stand-in's to take.
    if (!in_place || plan->automatic) {
        return CUFFT_NOT_SUPPORTED;
    }
    if (forbidden_in_capture() != cudaSuccess || has_faults()) {
        return CUFFT_SETUP_FAILED;
    }
    plan->tables = device_allocate(table_bytes);
    if (plan->tables == nullptr) {
        return CUFFT_ALLOC_FAILED;
    }
    plan->type = type;
    plan->height = n[0];
    plan->width = n[1];
    plan->batch = batch;
    // FFTW_ESTIMATE looks at addresses, never at what is there.
    alignas(16) fftwf_complex nothing[1];
    auto* const real = reinterpret_cast<float*>(nothing);
    constexpr unsigned flags = FFTW_ESTIMATE | FFTW_UNALIGNED;
    const std::lock_guard lock(planning);
    plan->by_fftw = from_real ? fftwf_plan_many_dft_r2c(2, n, batch, real, inembed, 1, idist,
                                                        nothing, onembed, 1, odist, flags)
                              : fftwf_plan_many_dft_c2r(2, n, batch, nothing, inembed, 1, idist,
                                                        real, onembed, 1, odist, flags);
    *work_bytes = plan->bytes();
    return plan->by_fftw != nullptr ? CUFFT_SUCCESS : CUFFT_INTERNAL_ERROR;
}

cufftResult cufftExecR2C(cufftHandle handle, cufftReal* in, cufftComplex* out) {
    return execute(handle, CUFFT_R2C, in, out, "cufftExecR2C");
}

cufftResult cufftExecC2R(cufftHandle handle, cufftComplex* in, cufftReal* out) {
    return execute(handle, CUFFT_C2R, in, out, "cufftExecC2R");
}

}  // namespace trainscope::emulation
