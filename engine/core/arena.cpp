// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/arena.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

#include "engine/core/format.h"

namespace trainscope {

namespace {

class HostAllocator final : public RawAllocator {
  public:
    void* allocate(std::int64_t bytes) override {
        void* data = ::operator new (static_cast<std::size_t>(bytes),
                                     std::align_val_t{allocation_granularity}, std::nothrow);
#ifndef NDEBUG
        if (data != nullptr) {
            std::memset(data, 0xFF, static_cast<std::size_t>(bytes));  // NaN in every float
        }
#endif
        return data;
    }
    void release(void* data, std::int64_t /*bytes*/) override {
        ::operator delete (data, std::align_val_t{allocation_granularity});
    }
};

}  // namespace

RawAllocator& host_allocator() {
    static HostAllocator allocator;
    return allocator;
}

Buffer::~Buffer() {
    if (arena_ != nullptr) {
        arena_->release(*this);
    }
}

Arena::~Arena() {
    assert(live_buffers_ == 0 && "a Buffer outlives its Arena");
}

Result<Buffer> Arena::allocate(std::int64_t bytes, MemoryCategory category, std::string_view what) {
    assert(bytes >= 0);
    if (bytes == 0) {
        return Buffer{};
    }
    const std::int64_t rounded = rounded_allocation(bytes);
    const std::int64_t used = in_use_.total();
    if (budget_ && rounded > *budget_ - used) {
        const auto [needed, left] =
            format_bytes_apart(rounded, std::max<std::int64_t>(0, *budget_ - used));
        return make_error(ErrorCode::out_of_memory,
                          "Out of memory: {} needs {}, but the budget of {} has {} left.", what,
                          needed, format_bytes(*budget_), left);
    }
    const bool forced = fail_in_ && (*fail_in_)-- == 0;
    if (forced) {
        fail_in_.reset();
    }
    void* data = forced ? nullptr : allocator_->allocate(rounded);
    if (data == nullptr) {
        return make_error(ErrorCode::out_of_memory,
                          "Out of memory: the device has no {} left for {} ({} in use).",
                          format_bytes(rounded), what, format_bytes(used));
    }
    in_use_[category] += rounded;
    peak_ = std::max(peak_, used + rounded);
    ++live_buffers_;
    Buffer buffer;
    buffer.arena_ = this;
    buffer.data_ = data;
    buffer.bytes_ = rounded;
    buffer.category_ = category;
    return buffer;
}

void Arena::release(Buffer& buffer) {
    allocator_->release(buffer.data_, buffer.bytes_);
    in_use_[buffer.category_] -= buffer.bytes_;
    --live_buffers_;
}

}  // namespace trainscope
