// SPDX-License-Identifier: GPL-3.0-or-later
// cuFFT for kernel variants: transforms of many planes at once, whose plans are made beforehand and
// whose work area is the caller's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#ifdef TRAINSCOPE_EMULATED
#include "engine/cuda/emulation/cufft_api.h"
#else
#include <cufft.h>
#endif

#include "engine/cuda/kernel.h"

namespace trainscope::cuda {

// A plane of real values [height, width] and its spectrum [height, width / 2 + 1] lie in the same
// place: rows have room for the spectrum's.
struct TransformedPlane {
    int height = 1, width = 1;
    int pitch() const { return 2 * (width / 2 + 1); }  // floats from row to row
    std::int64_t floats() const { return std::int64_t{height} * pitch(); }
};

// The smallest size from `least` on that has no prime factor above 7: the library is made for
// those.
int transform_size(std::int64_t least);

class PlaneTransforms {
  public:
    enum class To { spectra, planes };

    // `work_bytes` is the size of what run() is given for work; a plan of memory is made without a
    // device, so that it is not the library that tells it. Where the library wants more for all
    // planes, fewer are transformed at once.
    PlaneTransforms(cudaStream_t stream, const TransformedPlane& plane, std::int64_t work_bytes);
    ~PlaneTransforms();
    PlaneTransforms(const PlaneTransforms&) = delete;
    PlaneTransforms& operator=(const PlaneTransforms&) = delete;

    // A work area for so many planes at once, by what NVIDIA documents: as many bytes as are
    // transformed, and eight times those of one plane at most.
    static std::int64_t work_bytes(const TransformedPlane& plane, std::int64_t planes);

    // Makes the plans for a number of planes (below 2^31 floats), once; not while work is recorded.
    // std::bad_alloc where the device has no memory for their tables.
    void prepare(To to, std::int64_t planes);
    // In place, on the stream. Back from spectra the values are height * width times as large.
    void run(To to, std::int64_t planes, float* data, void* work);

  private:
    class Plan;
    using Key = std::pair<To, std::int64_t>;

    void add_pieces(To to, std::int64_t planes, std::vector<const Plan*>& pieces);

    cudaStream_t stream_;
    TransformedPlane plane_;
    std::int64_t work_bytes_;
    std::map<Key, std::unique_ptr<Plan>> plans_;
    std::map<Key, std::vector<const Plan*>> pieces_;  // what run() of so many planes does in turn
};

}  // namespace trainscope::cuda
