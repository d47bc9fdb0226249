// SPDX-License-Identifier: GPL-3.0-or-later
// Memory to give to a kernel that shows whether it wrote, or read and used, what is not its own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace trainscope::testing {

// Who else is told of guarded memory while it lives: the emulated device, so that it checks what
// kernels do with it. nullptr: nobody.
struct GuardedMemoryWatcher {
    void (*made)(void* data, std::size_t bytes) = nullptr;
    void (*gone)(void* data) = nullptr;
};
inline GuardedMemoryWatcher guarded_memory_watcher;

// `count` values between two borders, aligned as a device's allocations are. Until they are written
// all bytes are 0xFF: NaN as floats, so that what a kernel leaves out or reads outside shows in the
// result. Under AddressSanitizer touching a border ends the test at once.
template <class T>
class Guarded {
  public:
    explicit Guarded(std::size_t count)
        : count_(count),
          bytes_((2 * border + count * sizeof(T) + alignment - 1) / alignment * alignment),
          memory_(static_cast<std::byte*>(::operator new (bytes_, std::align_val_t{alignment}))) {
        std::memset(memory_.get(), 0xFF, bytes_);
        close_borders();
        if (watcher_.made != nullptr) {
            watcher_.made(data(), count_ * sizeof(T));
        }
    }
    explicit Guarded(const std::vector<T>& values) : Guarded(values.size()) {
        std::copy(values.begin(), values.end(), data());
    }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;
    ~Guarded() {
        if (watcher_.gone != nullptr) {
            watcher_.gone(data());
        }
        open_borders();
    }

    T* data() { return reinterpret_cast<T*>(memory_.get() + border); }
    const T* data() const { return reinterpret_cast<const T*>(memory_.get() + border); }
    std::size_t size() const { return count_; }
    std::span<const T> values() const { return {data(), count_}; }
    std::vector<T> copy() const { return {data(), data() + count_}; }
    // Makes all values as they were before anyone wrote.
    void poison() { std::memset(static_cast<void*>(data()), 0xFF, count_ * sizeof(T)); }

    ::testing::AssertionResult is_intact(std::string_view what) {
        open_borders();
        const std::byte* begin = memory_.get();
        const auto written = [](std::byte b) { return b != std::byte{0xFF}; };
        const bool before = std::any_of(begin, begin + border, written);
        const bool after =
            std::any_of(begin + border + count_ * sizeof(T), begin + bytes_, written);
        close_borders();
        if (before || after) {
            return ::testing::AssertionFailure()
                   << "memory " << (before ? "before " : "behind ") << what << " was written";
        }
        return ::testing::AssertionSuccess();
    }

  private:
    static constexpr std::size_t alignment = 256;
    static constexpr std::size_t border = 512;

    void close_borders() {
#if defined(__SANITIZE_ADDRESS__)
        const std::size_t end = border + count_ * sizeof(T);
        __asan_poison_memory_region(memory_.get(), border);
        __asan_poison_memory_region(memory_.get() + end, bytes_ - end);
#endif
    }
    void open_borders() {
#if defined(__SANITIZE_ADDRESS__)
        __asan_unpoison_memory_region(memory_.get(), bytes_);
#endif
    }
    struct Free {
        void operator()(std::byte* memory) const {
            ::operator delete (memory, std::align_val_t{alignment});
        }
    };

    std::size_t count_ = 0;
    std::size_t bytes_ = 0;
    GuardedMemoryWatcher watcher_ = guarded_memory_watcher;  // the same at its end
    std::unique_ptr<std::byte, Free> memory_;
};

}  // namespace trainscope::testing
