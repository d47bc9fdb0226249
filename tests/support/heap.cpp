// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/heap.h"

#include <atomic>
#include <cstdlib>
#include <new>

// GCC does not see that these two belong together once one of them is inlined.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace {

std::atomic<long> allocations{0};
std::atomic<bool> exhausted{false};
std::atomic<long> until_failure{0};  // counts on below zero
std::atomic<std::size_t> least{0};
thread_local bool spared = false;

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

void* operator new(std::size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (exhausted.load(std::memory_order_relaxed) && !spared && size >= least.load() &&
        until_failure.fetch_sub(1) == 0) {
        throw std::bad_alloc();
    }
    if (void* const data = std::malloc(size == 0 ? 1 : size)) {
        return data;
    }
    throw std::bad_alloc();
}
void operator delete(void* data) noexcept {
    std::free(data);
}
void operator delete(void* data, std::size_t) noexcept {
    std::free(data);
}

#endif

namespace trainscope::testing {

long heap_allocations() {
    return allocations.load();
}

ExhaustedHeap::ExhaustedHeap(long whole, std::size_t least_bytes) {
    spared = true;
    least.store(least_bytes);
    until_failure.store(whole);
    exhausted.store(true);
}

ExhaustedHeap::~ExhaustedHeap() {
    exhausted.store(false);
    spared = false;
}

bool ExhaustedHeap::failed() const {
    return until_failure.load() < 0;
}

}  // namespace trainscope::testing
