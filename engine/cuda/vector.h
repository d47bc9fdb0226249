// SPDX-License-Identifier: GPL-3.0-or-later
// Four floats in one 128-bit access, or one by one where they do not lie on its borders.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "engine/cuda/launch.h"

namespace trainscope::cuda {

inline constexpr unsigned vector_width = 4;

template <unsigned width>
struct alignas(width * sizeof(float)) Values {
    float of[width];
};

// A unit is `width` neighbours.
template <unsigned width>
__device__ Values<width> load(const float* from, std::int64_t unit) {
    return reinterpret_cast<const Values<width>*>(from)[unit];
}
template <unsigned width>
__device__ void store(float* to, std::int64_t unit, const Values<width>& values) {
    reinterpret_cast<Values<width>*>(to)[unit] = values;
}

// Whether all of these tensors start where vectors may.
inline bool are_aligned(std::initializer_list<const float*> tensors) {
    return std::all_of(tensors.begin(), tensors.end(), [](const float* tensor) {
        return reinterpret_cast<std::uintptr_t>(tensor) % sizeof(Values<vector_width>) == 0;
    });
}

}  // namespace trainscope::cuda
