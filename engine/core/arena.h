// SPDX-License-Identifier: GPL-3.0-or-later
// The memory ledger: where every tensor of a device comes from, booked by category.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/core/memory.h"
#include "engine/core/result.h"

namespace trainscope {

class Arena;

// A piece of device memory that is given back to its arena when it goes. Move-only; its arena must
// outlive it. An empty Buffer (size 0) holds nothing.
class Buffer {
  public:
    Buffer() = default;
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        Buffer taken(std::move(other));
        swap(taken);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer();

    void* data() const { return data_; }
    float* floats() const { return static_cast<float*>(data_); }
    std::int64_t bytes() const { return bytes_; }  // as booked, rounded up
    explicit operator bool() const { return data_ != nullptr; }

    void swap(Buffer& other) noexcept {
        std::swap(arena_, other.arena_);
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        std::swap(category_, other.category_);
    }

  private:
    friend class Arena;
    Arena* arena_ = nullptr;
    void* data_ = nullptr;
    std::int64_t bytes_ = 0;
    MemoryCategory category_ = MemoryCategory::workspace;
};

// How a device hands out raw memory. allocate returns nullptr when there is none.
class RawAllocator {
  public:
    virtual ~RawAllocator() = default;
    virtual void* allocate(std::int64_t bytes) = 0;
    virtual void release(void* data, std::int64_t bytes) = 0;
};

// Host memory, aligned to 64 bytes and poisoned with NaN bytes in debug builds.
RawAllocator& host_allocator();

// Not thread-safe: the thread that trains owns it.
class Arena {
  public:
    explicit Arena(RawAllocator& allocator, std::optional<std::int64_t> budget = std::nullopt)
        : allocator_(&allocator), budget_(budget) {}
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena();

    // Error out_of_memory, naming `what`, what it needs and what is left, when the budget or the
    // device cannot hold it; the ledger is then as it was. `bytes` >= 0; 0 gives an empty Buffer.
    Result<Buffer> allocate(std::int64_t bytes, MemoryCategory category, std::string_view what);

    const MemoryUsage& in_use() const { return in_use_; }
    // The largest total since the last reset_peak.
    std::int64_t peak() const { return peak_; }
    void reset_peak() { peak_ = in_use_.total(); }
    std::optional<std::int64_t> budget() const { return budget_; }
    // A budget below what is in use is allowed: nothing more can then be allocated.
    void set_budget(std::optional<std::int64_t> budget) { budget_ = budget; }

    // Testing: the n-th allocation from now (0 = the next) fails once; nullopt turns it off.
    void fail_allocation(std::optional<int> n) { fail_in_ = n; }

  private:
    friend class Buffer;
    void release(Buffer& buffer);

    RawAllocator* allocator_;
    std::optional<std::int64_t> budget_;
    std::optional<int> fail_in_;
    MemoryUsage in_use_;
    std::int64_t peak_ = 0;
    std::int64_t live_buffers_ = 0;
};

}  // namespace trainscope
