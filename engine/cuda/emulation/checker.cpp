// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of each cell of 4 bytes (who wrote and who read it, at which barrier), and the
// rules that an access is held against.
#include "engine/cuda/emulation/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/cuda/emulation/block_run.h"
#include "engine/cuda/emulation/device_memory.h"
#include "engine/cuda/emulation/faults.h"

namespace trainscope::emulation {

namespace {

constexpr std::uintptr_t cell_bytes = 4;
constexpr int warp_lanes = 32;

// A cell of shared memory, and the block whose it is.
struct SharedCell {
    Cell cell;
    std::uint32_t launch = 0;
    std::uint32_t block = 0;
};

struct Checker {
    std::uint32_t launch = 0;
    BlockRun* block = nullptr;
    std::array<Allocation*, 4> cached{};  // those met last
    std::size_t oldest = 0;               // of the cached
    std::array<Gap, 2> gaps{};            // met last: the fiber's stack, constants, a test's memory
    std::size_t oldest_gap = 0;
    const void* atomic_place = nullptr;  // the next access to it is atomic
    std::size_t atomic_bytes = 0;
    std::vector<SharedCell> shared;  // of the block that runs, and cells that blocks before left
};
thread_local Checker checker;

// From 1 on. More than 32 bits count would take the emulation weeks.
std::uint32_t block_number(const BlockView& view) {
    return 1 + view.index.x + view.grid.x * (view.index.y + view.grid.y * view.index.z);
}

[[gnu::always_inline]] inline bool apart(const Access& before, const Access& now) {
    if (before.launch != now.launch || (before.bytes & now.bytes) == 0 ||
        (before.atomic && now.atomic)) {
        return true;
    }
    if (before.block != now.block) {
        return false;
    }
    const bool same_warp = before.thread / warp_lanes == now.thread / warp_lanes;
    return before.thread == now.thread || before.barrier_epoch != now.barrier_epoch ||
           (same_warp && before.warp_epoch != now.warp_epoch);
}

void report(FaultKind kind, const std::string& what) {
    if (BlockRun* const block = checker.block) {
        report_fault(kind, fmt::format("{} {}", block->place(block->running()), what));
    }
}

std::string words(const char* memory, std::ptrdiff_t at, bool write) {
    return fmt::format("{} byte {} of {}", write ? "writes" : "reads", at, memory);
}

[[gnu::cold, gnu::noinline]] void report_race(const Cell& cell, const Access* other, bool write,
                                              const char* memory, std::ptrdiff_t at) {
    report(FaultKind::race,
           fmt::format("{}, which thread {} of block {} {} with no barrier between.",
                       words(memory, at, write), other->thread, other->block - 1,
                       other == &cell.writer ? "wrote" : "read"));
}

[[gnu::cold, gnu::noinline]] void report_unwritten(const char* memory, std::ptrdiff_t at) {
    report(FaultKind::uninitialized_read,
           fmt::format("{}, which was never written.", words(memory, at, false)));
}

// What follows is inlined: an Access that goes through the stack costs more than all checks of it.
[[gnu::always_inline]] inline void check_race(const Cell& cell, const Access& now, bool write,
                                              const char* memory, std::ptrdiff_t at) {
    const Access* other = nullptr;
    if (!apart(cell.writer, now)) {
        other = &cell.writer;
    }
    for (const Access& reader : cell.readers) {
        if (write && !apart(reader, now)) {
            other = &reader;
        }
    }
    if (other != nullptr) [[unlikely]] {
        report_race(cell, other, write, memory, at);
    }
}

[[gnu::always_inline]] inline void remember(Cell& cell, const Access& now, bool write) {
    if (write) {
        cell.writer = now;
        cell.written |= now.bytes;
        return;
    }
    Access& first = cell.readers[0];
    if (first.launch == now.launch && first.thread == now.thread && first.block == now.block) {
        first = now;
    } else {
        cell.readers[1] = first;
        first = now;
    }
}

Cell& cell_of(Cell& cell, const Access& /*now*/) {
    return cell;
}
// Shared memory is another block's from block to block.
Cell& cell_of(SharedCell& shared, const Access& now) {
    if (shared.launch != now.launch || shared.block != now.block) {
        shared.cell.writer.launch = 0;
        shared.cell.readers[0].launch = 0;
        shared.cell.readers[1].launch = 0;
        shared.cell.written = 0;
        shared.launch = now.launch;
        shared.block = now.block;
    }
    return shared.cell;
}

[[gnu::always_inline]] inline void check_cell(Cell& cell, const Access& now, bool write,
                                              const char* memory, std::ptrdiff_t at) {
    if (!write && (cell.written & now.bytes) != now.bytes) {
        report_unwritten(memory, at);
        cell.written |= now.bytes;  // said once
    }
    check_race(cell, now, write, memory, at);
    remember(cell, now, write);
}

[[gnu::always_inline]] inline Access access_now() {
    const FiberThread& thread = checker.block->running();
    return {.launch = checker.launch,
            .block = block_number(checker.block->view()),
            .barrier_epoch = checker.block->barrier_epoch(),
            .warp_epoch = thread.warp_epoch,
            .thread = static_cast<std::int16_t>(thread.view.linear)};
}

// Visits the cells of an access; `base` is where the cells begin.
template <class Cells>
void check_cells(Cells* cells, const std::byte* base, const std::byte* place, std::size_t bytes,
                 bool write, const char* memory) {
    Access now = access_now();
    now.atomic = checker.atomic_place == place && checker.atomic_bytes == bytes;
    const auto first = static_cast<std::uintptr_t>(place - base);
    for (std::uintptr_t at = first; at < first + bytes;) {
        const std::uintptr_t in_cell = at % cell_bytes;
        const std::uintptr_t count = std::min(first + bytes - at, cell_bytes - in_cell);
        now.bytes = static_cast<std::uint8_t>(((1U << count) - 1) << in_cell);
        check_cell(cell_of(cells[at / cell_bytes], now), now, write, memory,
                   static_cast<std::ptrdiff_t>(at));
        at += count;
    }
}

Cell* shadow_of(Allocation& allocation) {
    if (allocation.shadow == nullptr) {
        allocation.shadow = std::make_unique<Cell[]>(allocation.bytes / cell_bytes + 1);
    }
    return allocation.shadow.get();
}

bool in_zone(const Allocation* allocation, const std::byte* place) {
    return allocation != nullptr && place >= allocation->data - device_red_zone &&
           place < allocation->data + allocation->bytes + device_red_zone;
}

// The allocation that holds this place or is next to it; nullptr without one.
Allocation* allocation_at(const std::byte* place) {
    for (Allocation* const allocation : checker.cached) {
        if (in_zone(allocation, place)) {
            return allocation;
        }
    }
    for (const Gap& gap : checker.gaps) {
        if (place >= gap.begin && place < gap.end) {
            return nullptr;
        }
    }
    Allocation* const found = find_allocation(place);
    if (found != nullptr) {
        checker.cached[checker.oldest++ % checker.cached.size()] = found;
    } else {
        checker.gaps[checker.oldest_gap++ % checker.gaps.size()] = gap_around(place);
    }
    return found;
}

bool check_shared(const std::byte* place, std::size_t bytes, bool write) {
    const SharedMemory& shared = checker.block->shared_memory();
    if (!shared.contains(place)) {
        return false;
    }
    for (const SharedMemory::Array& array : shared.arrays()) {
        if (place >= array.data && place + bytes <= array.data + array.bytes) {
            const auto offset = static_cast<std::size_t>(array.data - shared.arrays()[0].data);
            const std::size_t cells = (offset + array.bytes) / cell_bytes + 2;
            if (checker.shared.size() < cells) {
                checker.shared.resize(cells);
            }
            check_cells(checker.shared.data() + offset / cell_bytes, array.data, place, bytes,
                        write, "a shared array");
            return true;
        }
    }
    report(FaultKind::shared_bounds,
           fmt::format("{} outside of every shared array.", write ? "writes" : "reads"));
    return true;
}

}  // namespace

bool accesses_are_checked = false;

void check_access(const void* address, std::size_t bytes, bool write) {
    if (current == nullptr || checker.block == nullptr) {
        return;  // host code
    }
    const auto* const place = static_cast<const std::byte*>(address);
    if (check_shared(place, bytes, write)) {
        return;
    }
    Allocation* const found = allocation_at(place);
    if (found == nullptr) {
        return;  // the fiber's stack, constants
    }
    Allocation& allocation = *found;
    if (place < allocation.data || place + bytes > allocation.data + allocation.bytes) {
        report(FaultKind::device_bounds,
               fmt::format("{}, which has {} bytes.",
                           words("a device allocation", place - allocation.data, write),
                           allocation.bytes));
        return;
    }
    check_cells(shadow_of(allocation), allocation.data, place, bytes, write, "a device allocation");
}

void begin_launch(std::uint64_t number, const std::string& /*where*/, BlockRun* block) {
    checker.launch = static_cast<std::uint32_t>(number);
    checker.block = block;
    forget_cached_allocation();
    checker.atomic_place = nullptr;
}

void end_launch() {
    checker.block = nullptr;
    forget_cached_allocation();
}

void forget_cached_allocation() {
    checker.cached.fill(nullptr);
    checker.gaps.fill({});
}

void announce_atomic(const void* place, std::size_t bytes) {
    if (!accesses_are_checked || checker.block == nullptr) {
        return;
    }
    checker.atomic_place = place;
    checker.atomic_bytes = bytes;
    check_access(place, bytes, true);
    checker.atomic_place = nullptr;
}

std::optional<std::size_t> never_written(const void* place, std::size_t bytes) {
    Allocation* const allocation = accesses_are_checked ? find_allocation(place) : nullptr;
    if (allocation == nullptr) {
        return std::nullopt;
    }
    const Cell* const cells = shadow_of(*allocation);
    const auto first =
        static_cast<std::size_t>(static_cast<const std::byte*>(place) - allocation->data);
    for (std::size_t at = first; at < std::min(first + bytes, allocation->bytes); ++at) {
        if ((cells[at / cell_bytes].written & 1U << at % cell_bytes) == 0) {
            return at;
        }
    }
    return std::nullopt;
}

void note_host_write(const void* place, std::size_t bytes) {
    Allocation* const allocation = accesses_are_checked ? find_allocation(place) : nullptr;
    if (allocation == nullptr) {
        return;
    }
    Cell* const cells = shadow_of(*allocation);
    const auto first =
        static_cast<std::size_t>(static_cast<const std::byte*>(place) - allocation->data);
    for (std::size_t at = first; at < std::min(first + bytes, allocation->bytes); ++at) {
        cells[at / cell_bytes].written =
            static_cast<std::uint8_t>(cells[at / cell_bytes].written | 1U << at % cell_bytes);
    }
}

}  // namespace trainscope::emulation
