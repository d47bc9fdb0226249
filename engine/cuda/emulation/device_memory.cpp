// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/emulation/device_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "engine/cuda/emulation/checker.h"
#include "engine/cuda/emulation/sanitizer.h"

namespace trainscope::emulation {

Allocation::Allocation() = default;
Allocation::Allocation(Allocation&&) noexcept = default;
Allocation::~Allocation() = default;

namespace {

constexpr std::byte fill{0xFF};  // NaN in every float
constexpr std::align_val_t alignment{256};

struct Memory {
    std::mutex mutex;
    std::map<const std::byte*, Allocation> allocations;  // by the start of the data
    std::int64_t total = default_device_memory;
    std::int64_t used = 0;
    std::optional<int> fail_in;
};

Memory& memory() {
    static Memory all;
    return all;
}

// 256-byte multiples, as a real device hands out.
std::size_t rounded(std::size_t bytes) {
    constexpr std::size_t unit = 256;
    return (bytes + unit - 1) / unit * unit;
}

std::size_t whole(const Allocation& allocation) {
    return device_red_zone + allocation.bytes + device_red_zone;
}

std::string damage_of(const Allocation& allocation) {
    const std::byte* const begin = allocation.data - device_red_zone;
    for (std::size_t i = 0; i < whole(allocation); ++i) {
        if (i == device_red_zone) {
            i += allocation.bytes;
        }
        if (begin[i] != fill) {
            return fmt::format(
                "byte {} of a device allocation of {} bytes",
                static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(device_red_zone),
                allocation.bytes);
        }
    }
    return {};
}

}  // namespace

void* device_allocate(std::size_t bytes) {
    Memory& m = memory();
    const std::lock_guard lock(m.mutex);
    if (m.fail_in && (*m.fail_in)-- == 0) {
        m.fail_in.reset();
        return nullptr;
    }
    const auto booked = static_cast<std::int64_t>(rounded(bytes));
    if (booked > m.total - m.used) {
        return nullptr;
    }
    void* const base = ::operator new(bytes + 2 * device_red_zone, alignment, std::nothrow);
    if (base == nullptr) {
        return nullptr;
    }
    Allocation allocation;
    allocation.data = static_cast<std::byte*>(base) + device_red_zone;
    allocation.bytes = bytes;
    std::memset(base, static_cast<int>(fill), whole(allocation));
    poison(base, device_red_zone);
    poison(allocation.data + bytes, device_red_zone);
    m.used += booked;
    std::byte* const data = allocation.data;
    m.allocations.emplace(data, std::move(allocation));
    return data;
}

bool device_release(void* data) {
    if (data == nullptr) {
        return true;
    }
    Memory& m = memory();
    const std::lock_guard lock(m.mutex);
    const auto found = m.allocations.find(static_cast<std::byte*>(data));
    if (found == m.allocations.end()) {
        return false;
    }
    std::byte* const base = found->second.data - device_red_zone;
    unpoison(base, whole(found->second));
    m.used -= static_cast<std::int64_t>(rounded(found->second.bytes));
    m.allocations.erase(found);
    forget_cached_allocation();
    ::operator delete(base, alignment);
    return true;
}

void watch_memory(void* data, std::size_t bytes) {
    Allocation allocation;
    allocation.data = static_cast<std::byte*>(data);
    allocation.bytes = bytes;
    allocation.watched = true;
    {
        Memory& m = memory();
        const std::lock_guard lock(m.mutex);
        m.allocations.erase(allocation.data);
        m.allocations.emplace(allocation.data, std::move(allocation));
    }
    note_host_write(data, bytes);
}

void forget_memory(void* data) {
    Memory& m = memory();
    const std::lock_guard lock(m.mutex);
    m.allocations.erase(static_cast<std::byte*>(data));
    forget_cached_allocation();
}

DeviceMemory device_memory() {
    Memory& m = memory();
    const std::lock_guard lock(m.mutex);
    const auto live = std::count_if(m.allocations.begin(), m.allocations.end(),
                                    [](const auto& each) { return !each.second.watched; });
    return {.total = m.total, .used = m.used, .allocations = static_cast<std::int64_t>(live)};
}

void set_device_memory(std::int64_t total_bytes) {
    const std::lock_guard lock(memory().mutex);
    memory().total = total_bytes;
}

bool fail_device_allocation(std::optional<int> n) {
    const std::lock_guard lock(memory().mutex);
    return !std::exchange(memory().fail_in, n);
}

std::string device_memory_damage() {
    Memory& m = memory();
    const std::lock_guard lock(m.mutex);
    for (const auto& [data, allocation] : m.allocations) {
        if (allocation.watched) {
            continue;
        }
        std::byte* const base = allocation.data - device_red_zone;
        unpoison(base, whole(allocation));
        std::string damage = damage_of(allocation);
        poison(base, device_red_zone);
        poison(allocation.data + allocation.bytes, device_red_zone);
        if (!damage.empty()) {
            return damage;
        }
    }
    return {};
}

Allocation* find_allocation(const void* place) {
    Memory& m = memory();
    const std::lock_guard lock(m.mutex);
    const auto* const address = static_cast<const std::byte*>(place);
    auto after = m.allocations.upper_bound(address + device_red_zone);
    if (after == m.allocations.begin()) {
        return nullptr;
    }
    Allocation& allocation = (--after)->second;
    return address < allocation.data + allocation.bytes + device_red_zone ? &allocation : nullptr;
}

Gap gap_around(const void* place) {
    Memory& m = memory();
    const std::lock_guard lock(m.mutex);
    const auto* const address = static_cast<const std::byte*>(place);
    Gap gap{.begin = nullptr, .end = address + 1};
    const auto after = m.allocations.upper_bound(address + device_red_zone);
    if (after != m.allocations.begin()) {
        const Allocation& before = std::prev(after)->second;
        gap.begin = before.data + before.bytes + device_red_zone;
    }
    if (after != m.allocations.end()) {
        gap.end = after->second.data - device_red_zone;
    }
    return gap;
}

}  // namespace trainscope::emulation
