// SPDX-License-Identifier: GPL-3.0-or-later
// The emulated device's memory: as much as is set, poisoned with NaN bytes, with red zones around
// each allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace trainscope::emulation {

// nullptr when the memory is used up or the allocation was asked to fail.
void* device_allocate(std::size_t bytes);
// False when `data` is not an allocation's start. nullptr is fine.
bool device_release(void* data);

struct DeviceMemory {
    std::int64_t total = 0;
    std::int64_t used = 0;
    std::int64_t allocations = 0;  // live ones
};
DeviceMemory device_memory();
inline constexpr std::int64_t default_device_memory = std::int64_t{8} << 30;
void set_device_memory(std::int64_t total_bytes);
// The n-th allocation from now (0 = the next) fails once; nullopt turns it off. Whether one that
// was asked for before had failed by now.
bool fail_device_allocation(std::optional<int> n);

// Memory of a test's own, filled already, that kernels' accesses are to be checked in as if it were
// an allocation; it takes none of the device's. `device_red_zone` bytes on either side are its own.
void watch_memory(void* data, std::size_t bytes);
void forget_memory(void* data);

// What was written next to an allocation, in words; empty when nothing was.
std::string device_memory_damage();

// For the checker: a live allocation with a shadow of its own.
struct Cell;
struct Allocation {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    bool watched = false;            // memory of someone else's
    std::unique_ptr<Cell[]> shadow;  // one a 4 bytes; nullptr until the checker looks
    Allocation();
    Allocation(Allocation&&) noexcept;
    Allocation& operator=(Allocation&&) = delete;
    ~Allocation();
};
inline constexpr std::size_t device_red_zone = 512;
// The allocation that holds an address, its red zones included; nullptr without one. Its place does
// not change while it lives.
Allocation* find_allocation(const void* place);
// Addresses [begin, end) that no allocation's red zones reach.
struct Gap {
    const std::byte* begin = nullptr;
    const std::byte* end = nullptr;
};
// Around a place where find_allocation finds nothing.
Gap gap_around(const void* place);
// The host has written here.
void note_host_write(const void* place, std::size_t bytes);

}  // namespace trainscope::emulation
