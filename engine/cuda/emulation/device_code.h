// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA C++'s words for device code as ordinary C++: a kernel that includes this runs on the host,
// each thread of a block a fiber (see block.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "engine/cuda/emulation/thread.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) alignas(n)

#define threadIdx (::trainscope::emulation::current->index)
#define blockIdx (::trainscope::emulation::current->block->index)
#define blockDim (::trainscope::emulation::current->block->threads)
#define gridDim (::trainscope::emulation::current->block->grid)

// An array in the block's shared memory: TRAINSCOPE_SHARED(float, tile, [32][33]);
#define TRAINSCOPE_SHARED(type, name, dimensions)                                   \
    typedef type name##_shared_type dimensions; /* NOLINT(modernize-use-using) */   \
    static const char name##_shared_key = 0;                                        \
    auto& name = *static_cast<name##_shared_type*>(::trainscope::emulation::shared( \
        &name##_shared_key, sizeof(name##_shared_type), alignof(name##_shared_type)))

// The shared memory whose size the launch gives: TRAINSCOPE_DYNAMIC_SHARED(float, partials);
#define TRAINSCOPE_DYNAMIC_SHARED(type, name) \
    auto* const name = static_cast<type*>(::trainscope::emulation::dynamic_shared())

namespace trainscope::emulation {

// All threads of the block that have not ended meet here, at the same line.
void barrier(int line);

// What the lanes of a mask do together: each gives a value and gets one.
std::uint64_t exchange(unsigned mask, std::uint64_t value, int source_lane, int line);
unsigned ballot(unsigned mask, bool predicate, int line);
void warp_barrier(unsigned mask, int line);

template <class T>
T shuffle(unsigned mask, T value, int source_lane, int line) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t) && std::is_trivially_copyable_v<T>);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    bits = exchange(mask, bits, source_lane, line);
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// Read-modify-write that no other thread comes between; returns what was there.
template <class T, class Change>
[[gnu::no_sanitize_thread]] T atomically(T* place, const Change& change) {
    announce_atomic(place, sizeof(T));
    const T old = *place;
    *place = change(old);
    return old;
}

}  // namespace trainscope::emulation

// --- barriers and warp collectives; the line is the identity of the call ---

inline void __syncthreads(int line = __builtin_LINE()) {
    trainscope::emulation::barrier(line);
}
inline void __syncwarp(unsigned mask = 0xFFFFFFFFU, int line = __builtin_LINE()) {
    trainscope::emulation::warp_barrier(mask, line);
}
inline unsigned __ballot_sync(unsigned mask, bool predicate, int line = __builtin_LINE()) {
    return trainscope::emulation::ballot(mask, predicate, line);
}
inline bool __any_sync(unsigned mask, bool predicate, int line = __builtin_LINE()) {
    return trainscope::emulation::ballot(mask, predicate, line) != 0;
}
inline bool __all_sync(unsigned mask, bool predicate, int line = __builtin_LINE()) {
    return trainscope::emulation::ballot(mask, predicate, line) == mask;
}
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, int line = __builtin_LINE()) {
    const int lane = trainscope::emulation::current->lane;
    return trainscope::emulation::shuffle(mask, value, (lane & ~(width - 1)) | (source % width),
                                          line);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, int line = __builtin_LINE()) {
    const int lane = trainscope::emulation::current->lane;
    const int source = lane ^ lanes;
    return trainscope::emulation::shuffle(
        mask, value, (source | (width - 1)) == (lane | (width - 1)) ? source : lane, line);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32,
                   int line = __builtin_LINE()) {
    const int lane = trainscope::emulation::current->lane;
    const int source = lane + static_cast<int>(by);
    return trainscope::emulation::shuffle(mask, value,
                                          source <= (lane | (width - 1)) ? source : lane, line);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32, int line = __builtin_LINE()) {
    const int lane = trainscope::emulation::current->lane;
    const int source = lane - static_cast<int>(by);
    return trainscope::emulation::shuffle(mask, value,
                                          source >= (lane & ~(width - 1)) ? source : lane, line);
}

// --- atomics ---

template <class T>
T atomicAdd(T* place, T value) {
    return trainscope::emulation::atomically(place, [&](T old) { return old + value; });
}

// --- vector types and arithmetic ---

struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
inline float2 make_float2(float x, float y) {
    return {x, y};
}
inline float4 make_float4(float x, float y, float z, float w) {
    return {x, y, z, w};
}

template <class T>
T __ldg(const T* place) {
    return *place;
}
inline int __popc(unsigned bits) {
    return __builtin_popcount(bits);
}
using std::max;
using std::min;
