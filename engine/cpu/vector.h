// SPDX-License-Identifier: GPL-3.0-or-later
// A vector of floats as wide as the machine's registers, for kernels that block in registers by
// hand. It is the compiler's vector extension, so one source serves SSE2, AVX2 and AVX-512.
#pragma once

#include <cstdint>
#include <cstring>

namespace trainscope::cpu {

#if defined(__AVX512F__)
inline constexpr int vector_lanes = 16;
#elif defined(__AVX__)
inline constexpr int vector_lanes = 8;
#else
inline constexpr int vector_lanes = 4;
#endif

using FloatVector [[gnu::vector_size(vector_lanes * 4)]] = float;
using IntVector [[gnu::vector_size(vector_lanes * 4)]] = std::int32_t;  // also a mask: 0 or -1
using ByteVector [[gnu::vector_size(vector_lanes)]] = std::uint8_t;
using DoubleVector [[gnu::vector_size(vector_lanes * 8)]] = double;

// Any alignment.
inline FloatVector load(const float* from) {
    FloatVector v;
    std::memcpy(&v, from, sizeof v);
    return v;
}
inline void store(float* to, FloatVector v) {
    std::memcpy(to, &v, sizeof v);
}
inline FloatVector broadcast(float value) {
    return FloatVector{} + value;
}

inline float sum_of(FloatVector v) {
    float lanes[vector_lanes];
    std::memcpy(lanes, &v, sizeof v);
    for (int width = vector_lanes / 2; width > 0; width /= 2) {
        for (int i = 0; i < width; ++i) {
            lanes[i] += lanes[i + width];
        }
    }
    return lanes[0];
}
inline double sum_of(DoubleVector v) {
    double sum = 0;
    for (int i = 0; i < vector_lanes; ++i) {
        sum += v[i];
    }
    return sum;
}

constexpr std::int64_t round_up_to_vector(std::int64_t count) {
    return (count + vector_lanes - 1) / vector_lanes * vector_lanes;
}

}  // namespace trainscope::cpu
