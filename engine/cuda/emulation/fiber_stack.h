// SPDX-License-Identifier: GPL-3.0-or-later
// Stacks of fibers: committed by the system as they are touched, a guard page below each.
#pragma once

#include <cstddef>

namespace trainscope::emulation {

class FiberStack {
  public:
    static constexpr std::size_t bytes = 64 * 1024;

    FiberStack();  // std::bad_alloc when there is no memory
    ~FiberStack();
    FiberStack(FiberStack&& other) noexcept : base_(other.base_) { other.base_ = nullptr; }
    FiberStack(const FiberStack&) = delete;
    FiberStack& operator=(const FiberStack&) = delete;
    FiberStack& operator=(FiberStack&&) = delete;

    void* bottom() const;  // lowest address
    void* top() const { return static_cast<std::byte*>(bottom()) + bytes; }

  private:
    void* base_ = nullptr;  // with the guard page
};

}  // namespace trainscope::emulation
