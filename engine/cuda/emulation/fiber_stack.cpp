// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/emulation/fiber_stack.h"

#include <sys/mman.h>

#include <new>

namespace trainscope::emulation {

namespace {
constexpr std::size_t guard_bytes = 4096;
}

FiberStack::FiberStack() {
    base_ = mmap(nullptr, guard_bytes + bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base_ == MAP_FAILED) {
        base_ = nullptr;
        throw std::bad_alloc();
    }
    mprotect(base_, guard_bytes, PROT_NONE);
}

FiberStack::~FiberStack() {
    if (base_ != nullptr) {
        munmap(base_, guard_bytes + bytes);
    }
}

void* FiberStack::bottom() const {
    return static_cast<std::byte*>(base_) + guard_bytes;
}

}  // namespace trainscope::emulation
