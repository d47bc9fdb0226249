// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/fft.h"

#include <algorithm>
#include <cassert>
#include <new>

#include "engine/cuda/error.h"

namespace trainscope::cuda {

namespace {

const char* name_of(cufftResult result) {
    switch (result) {
        case CUFFT_INVALID_PLAN:
            return "CUFFT_INVALID_PLAN";
        case CUFFT_ALLOC_FAILED:
            return "CUFFT_ALLOC_FAILED";
        case CUFFT_INVALID_VALUE:
            return "CUFFT_INVALID_VALUE";
        case CUFFT_INTERNAL_ERROR:
            return "CUFFT_INTERNAL_ERROR";
        case CUFFT_EXEC_FAILED:
            return "CUFFT_EXEC_FAILED";
        case CUFFT_SETUP_FAILED:
            return "CUFFT_SETUP_FAILED";
        case CUFFT_INVALID_SIZE:
            return "CUFFT_INVALID_SIZE";
        case CUFFT_NO_WORKSPACE:
            return "CUFFT_NO_WORKSPACE";
        default:
            return "a cufftResult";
    }
}

// The library has no words for its results.
void note_fft(cufftResult result, const char* call,
              std::source_location at = std::source_location::current()) {
    if (result != CUFFT_SUCCESS) {
        note_failure(call, name_of(result), fmt::format("cuFFT's error {}", int{result}), at);
    }
}

constexpr std::int64_t alignment = 256;

}  // namespace

// A plan for a number of planes, without memory for its work.
class PlaneTransforms::Plan {
  public:
    Plan(cudaStream_t stream, const TransformedPlane& plane, To to, std::int64_t planes)
        : planes_(planes) {
        cufftResult result = cufftCreate(&handle_);
        note_fft(result, "cufftCreate");
        if (result != CUFFT_SUCCESS) {
            return;
        }
        made_ = true;
        note_fft(cufftSetAutoAllocation(handle_, 0), "cufftSetAutoAllocation");
        result = make(plane, to);
        if (result == CUFFT_ALLOC_FAILED) {
            cufftDestroy(handle_);
            static_cast<void>(cudaGetLastError());  // an answer, no failure of the device
            throw std::bad_alloc();
        }
        note_fft(result, "cufftMakePlanMany");
        note_fft(cufftSetStream(handle_, stream), "cufftSetStream");
    }
    ~Plan() {
        if (made_) {
            note_fft(cufftDestroy(handle_), "cufftDestroy");
        }
    }
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;

    std::int64_t planes() const { return planes_; }
    std::int64_t work_bytes() const { return static_cast<std::int64_t>(work_bytes_); }

    void run(To to, float* data, void* work) const {
        if (!made_) {
            return;  // that it could not be made is noted
        }
        auto* const spectra = reinterpret_cast<cufftComplex*>(data);
        note_fft(cufftSetWorkArea(handle_, work), "cufftSetWorkArea");
        if (to == To::spectra) {
            note_fft(cufftExecR2C(handle_, data, spectra), "cufftExecR2C");
        } else {
            note_fft(cufftExecC2R(handle_, spectra, data), "cufftExecC2R");
        }
    }

  private:
    cufftResult make(const TransformedPlane& plane, To to) {
        const bool from_real = to == To::spectra;
        const int across = plane.pitch() / 2;
        int size[2] = {plane.height, plane.width};
        int real[2] = {plane.height, 2 * across};
        int spectrum[2] = {plane.height, across};
        const int reals = plane.height * 2 * across;
        const int frequencies = plane.height * across;
        return cufftMakePlanMany(handle_, 2, size, from_real ? real : spectrum, 1,
                                 from_real ? reals : frequencies, from_real ? spectrum : real, 1,
                                 from_real ? frequencies : reals, from_real ? CUFFT_R2C : CUFFT_C2R,
                                 static_cast<int>(planes_), &work_bytes_);
    }

    std::int64_t planes_;
    cufftHandle handle_ = 0;
    bool made_ = false;
    std::size_t work_bytes_ = 0;
};

PlaneTransforms::PlaneTransforms(cudaStream_t stream, const TransformedPlane& plane,
                                 std::int64_t work_bytes)
    : stream_(stream), plane_(plane), work_bytes_(work_bytes) {}

PlaneTransforms::~PlaneTransforms() = default;

int transform_size(std::int64_t least) {
    for (std::int64_t size = least;; ++size) {
        std::int64_t rest = size;
        for (const int factor : {2, 3, 5, 7}) {
            while (rest % factor == 0) {
                rest /= factor;
            }
        }
        if (rest == 1) {
            return static_cast<int>(size);
        }
    }
}

std::int64_t PlaneTransforms::work_bytes(const TransformedPlane& plane, std::int64_t planes) {
    constexpr std::int64_t at_most = 8;
    const std::int64_t bytes =
        std::max(planes, at_most) * plane.floats() * static_cast<std::int64_t>(sizeof(float));
    return (bytes + alignment - 1) / alignment * alignment;
}

void PlaneTransforms::prepare(To to, std::int64_t planes) {
    if (pieces_.contains({to, planes})) {
        return;
    }
    std::vector<const Plan*> pieces;
    add_pieces(to, planes, pieces);
    pieces_.emplace(Key{to, planes}, std::move(pieces));
}

// One plan for all, or for each half where the library wants a larger work area.
void PlaneTransforms::add_pieces(To to, std::int64_t planes, std::vector<const Plan*>& pieces) {
    std::unique_ptr<Plan>& plan = plans_[{to, planes}];
    if (plan == nullptr) {
        plan = std::make_unique<Plan>(stream_, plane_, to, planes);
    }
    if (plan->work_bytes() <= work_bytes_) {
        pieces.push_back(plan.get());
    } else if (planes == 1) {
        note_failure("cufftMakePlanMany", "a work area",
                     fmt::format("cuFFT wants {} bytes for a plane of {} x {} and has {}",
                                 plan->work_bytes(), plane_.height, plane_.width, work_bytes_));
    } else {
        plan.reset();
        add_pieces(to, planes / 2, pieces);
        add_pieces(to, planes - planes / 2, pieces);
    }
}

void PlaneTransforms::run(To to, std::int64_t planes, float* data, void* work) {
    const auto pieces = pieces_.find({to, planes});
    assert(pieces != pieces_.end());
    for (const Plan* const plan : pieces->second) {
        plan->run(to, data, work);
        data += plan->planes() * plane_.floats();
    }
}

}  // namespace trainscope::cuda
