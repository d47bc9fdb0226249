// SPDX-License-Identifier: GPL-3.0-or-later
// The heap of a test program, counted, and exhausted where a test wants it. Sanitizers bring an
// operator new of their own: with them nothing is counted and nothing fails.
#pragma once

#include <cstddef>

namespace trainscope::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool heap_is_ours = false;
#else
inline constexpr bool heap_is_ours = true;
#endif

// How often operator new was called.
long heap_allocations();

// While it lives, one allocation of a thread other than its maker's throws std::bad_alloc: the one
// after `whole` others of those that want `least_bytes` or more.
class ExhaustedHeap {
  public:
    explicit ExhaustedHeap(long whole, std::size_t least_bytes = 0);
    ~ExhaustedHeap();
    ExhaustedHeap(const ExhaustedHeap&) = delete;
    ExhaustedHeap& operator=(const ExhaustedHeap&) = delete;

    bool failed() const;  // whether it has thrown
};

}  // namespace trainscope::testing
