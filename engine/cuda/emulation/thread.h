// SPDX-License-Identifier: GPL-3.0-or-later
// What a thread of an emulated block sees of itself and of its block.
#pragma once

#include <cstddef>
#include <cstdint>

struct uint3 {
    unsigned x = 0, y = 0, z = 0;
};
struct dim3 {
    unsigned x = 1, y = 1, z = 1;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

namespace trainscope::emulation {

struct BlockView {
    uint3 index;
    dim3 threads;
    dim3 grid;
};

struct ThreadView {
    uint3 index;
    int linear = 0;  // x fastest
    int lane = 0;
    const BlockView* block = nullptr;
};

// The thread that runs on this OS thread; nullptr outside of kernels. A fiber never changes its OS
// thread.
extern constinit thread_local ThreadView* current;

// The block's shared array with this key: the same address for all of its threads. It starts as
// bytes 0xFF (NaN) in each block.
void* shared(const void* key, std::size_t bytes, std::size_t alignment);
void* dynamic_shared();

// Tells the checker, where there is one, that an access to this place is atomic.
void announce_atomic(const void* place, std::size_t bytes);

}  // namespace trainscope::emulation
