// SPDX-License-Identifier: GPL-3.0-or-later
// A vector of floats as wide as the machine's registers, for kernels that block in registers by
// hand. It is the compiler's vector extension, so one source serves SSE2, AVX2 and AVX-512.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

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
using HalfVector [[gnu::vector_size(vector_lanes * 2)]] = float;
using DoubleVector [[gnu::vector_size(vector_lanes * 4)]] = double;  // as many as a HalfVector

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
    return [value]<int... I>(std::integer_sequence<int, I...>) {
        return FloatVector{(static_cast<void>(I), value)...};
    }
    (std::make_integer_sequence<int, vector_lanes>{});
}

// Says that a loaded value is used several times. Without it the compiler reads it from memory
// again for each multiply-add, and loads are what these kernels have too many of.
inline void keep(FloatVector& v) {
#if defined(__AVX512F__)
    asm("" : "+v"(v));
#elif defined(__x86_64__)
    asm("" : "+x"(v));
#else
    static_cast<void>(v);
#endif
}
inline FloatVector load_once(const float* from) {
    FloatVector v = load(from);
    keep(v);
    return v;
}

// Bytes to lanes and back. The compiler would convert lane by lane; as a shuffle of all bytes it is
// two or three instructions.
using AllBytes [[gnu::vector_size(vector_lanes * 4)]] = std::uint8_t;
inline IntVector load_bytes(const std::uint8_t* from) {
    // Through one integer, so that the bytes go to a register and not over the stack.
    std::conditional_t<vector_lanes == 4, std::uint32_t, std::uint64_t> bits[vector_lanes / 8 + 1];
    std::memcpy(bits, from, vector_lanes);
    using Bits [[gnu::vector_size(vector_lanes * 4)]] = std::remove_extent_t<decltype(bits)>;
    const Bits filled = vector_lanes == 16 ? Bits{bits[0], bits[1]} : Bits{bits[0]};
    const AllBytes bytes = reinterpret_cast<AllBytes>(filled);
    const auto widen = [&]<int... I>(std::integer_sequence<int, I...>) {
        constexpr int zero = 4 * vector_lanes;  // the first byte of the second operand
        return __builtin_shufflevector(bytes, AllBytes{}, (I % 4 == 0 ? I / 4 : zero)...);
    };
    return reinterpret_cast<IntVector>(widen(std::make_integer_sequence<int, 4 * vector_lanes>{}));
}
// The low byte of each lane.
inline void store_bytes(std::uint8_t* to, IntVector v, std::int64_t count = vector_lanes) {
    const AllBytes bytes = reinterpret_cast<AllBytes>(v);
    const auto narrow = [&]<int... I>(std::integer_sequence<int, I...>) {
        return __builtin_shufflevector(bytes, bytes, (I < vector_lanes ? 4 * I : 0)...);
    };
    const AllBytes low = narrow(std::make_integer_sequence<int, 4 * vector_lanes>{});
    std::memcpy(to, &low, static_cast<std::size_t>(count));
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
    for (int i = 0; i < vector_lanes / 2; ++i) {
        sum += v[i];
    }
    return sum;
}

constexpr std::int64_t round_up_to_vector(std::int64_t count) {
    return (count + vector_lanes - 1) / vector_lanes * vector_lanes;
}

}  // namespace trainscope::cpu
