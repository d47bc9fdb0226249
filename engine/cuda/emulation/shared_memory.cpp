// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/emulation/shared_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/cuda/emulation/block.h"
#include "engine/cuda/emulation/sanitizer.h"

namespace trainscope::emulation {

namespace {
constexpr std::byte fill{0xFF};  // NaN in every float
}

SharedMemory::SharedMemory() : memory_(std::make_unique<std::byte[]>(capacity)) {
    reset(0);
}

SharedMemory::~SharedMemory() {
    unpoison(memory_.get(), capacity);
}

void SharedMemory::reset(std::size_t dynamic_bytes) {
    unpoison(memory_.get(), capacity);
    std::memset(memory_.get(), static_cast<int>(fill), end_);
    poison(memory_.get(), capacity);
    arrays_.clear();
    end_ = 0;
    used_ = 0;
    take(nullptr, dynamic_bytes, 16);
}

std::byte* SharedMemory::take(const void* key, std::size_t bytes, std::size_t alignment) {
    const std::size_t unit = std::max<std::size_t>(alignment, 16);
    const std::size_t begin = (end_ + red_zone + unit - 1) / unit * unit;
    if (begin + bytes + red_zone > capacity) {
        return nullptr;
    }
    std::byte* const data = memory_.get() + begin;
    unpoison(memory_.get() + end_, begin + bytes + red_zone - end_);
    std::memset(memory_.get() + end_, static_cast<int>(fill), begin + bytes + red_zone - end_);
    poison(memory_.get() + end_, begin - end_);
    poison(data + bytes, red_zone);
    end_ = begin + bytes + red_zone;
    used_ += bytes;
    arrays_.push_back({.key = key, .data = data, .bytes = bytes});
    return data;
}

void* SharedMemory::array(const void* key, std::size_t bytes, std::size_t alignment) {
    for (const Array& array : arrays_) {
        if (array.key == key) {
            return array.data;
        }
    }
    return take(key, bytes, alignment);
}

std::string SharedMemory::damage() const {
    unpoison(memory_.get(), end_);
    std::string found;
    std::size_t at = 0;
    const auto check = [&](std::size_t until, std::size_t index) {
        for (; at < until && found.empty(); ++at) {
            if (memory_[at] != fill) {
                found = fmt::format("byte {} next to shared array {}",
                                    memory_.get() + at - arrays_[index].data, index);
            }
        }
    };
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
        const auto begin = static_cast<std::size_t>(arrays_[i].data - memory_.get());
        check(begin, i);
        at = begin + arrays_[i].bytes;
    }
    check(end_, arrays_.size() - 1);
    return found;
}

}  // namespace trainscope::emulation
