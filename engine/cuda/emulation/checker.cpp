// SPDX-License-Identifier: GPL-3.0-or-later
// The hooks that the compiler puts before each access with -fsanitize=thread. Their names and
// arguments are the compiler's interface to ThreadSanitizer.
#include "engine/cuda/emulation/checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/emulation/block_run.h"
#include "engine/cuda/emulation/device_memory.h"
#include "engine/cuda/emulation/faults.h"

namespace trainscope::emulation {

namespace {

constexpr std::uintptr_t cell_bytes = 4;
constexpr int warp_lanes = 32;

struct Checker {
    std::uint64_t launch = 0;
    BlockRun* block = nullptr;
    Allocation* cached = nullptr;
    const void* atomic_place = nullptr;  // the next access to it is atomic
    std::size_t atomic_bytes = 0;
    std::vector<Cell> shared;  // of the block that runs, and cells that blocks before it left
};
thread_local Checker checker;

std::uint64_t block_number(const BlockView& view) {
    return 1 + view.index.x +
           std::uint64_t{view.grid.x} * (view.index.y + std::uint64_t{view.grid.y} * view.index.z);
}

bool apart(const Access& before, const Access& now) {
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

void check_race(Cell& cell, const Access& now, bool write, const char* memory, std::ptrdiff_t at) {
    const Access* other = nullptr;
    if (!apart(cell.writer, now)) {
        other = &cell.writer;
    }
    for (const Access& reader : cell.readers) {
        if (write && !apart(reader, now)) {
            other = &reader;
        }
    }
    if (other != nullptr) {
        report(FaultKind::race,
               fmt::format("{}, which thread {} of block {} {} with no barrier between.",
                           words(memory, at, write), other->thread, other->block - 1,
                           other == &cell.writer ? "wrote" : "read"));
    }
}

void remember(Cell& cell, const Access& now, bool write) {
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

// Shared memory is another block's from block to block.
void forget_other_blocks(Cell& cell, const Access& now) {
    if (cell.launch != now.launch || cell.block != now.block) {
        cell = {};
        cell.launch = now.launch;
        cell.block = now.block;
    }
}

void check_cell(Cell& cell, const Access& now, bool write, const char* memory, std::ptrdiff_t at) {
    if (!write && (cell.written & now.bytes) != now.bytes) {
        report(FaultKind::uninitialized_read,
               fmt::format("{}, which was never written.", words(memory, at, write)));
        cell.written |= now.bytes;  // said once
    }
    check_race(cell, now, write, memory, at);
    remember(cell, now, write);
}

Access access_now() {
    const FiberThread& thread = checker.block->running();
    return {.launch = checker.launch,
            .block = block_number(checker.block->view()),
            .thread = thread.view.linear,
            .barrier_epoch = checker.block->barrier_epoch(),
            .warp_epoch = thread.warp_epoch};
}

// Visits the cells of an access; `base` is where the cells begin.
void check_cells(Cell* cells, const std::byte* base, const std::byte* place, std::size_t bytes,
                 bool write, const char* memory, bool of_block) {
    Access now = access_now();
    now.atomic = checker.atomic_place == place && checker.atomic_bytes == bytes;
    const auto first = static_cast<std::uintptr_t>(place - base);
    for (std::uintptr_t at = first; at < first + bytes;) {
        const std::uintptr_t end = std::min(first + bytes, (at / cell_bytes + 1) * cell_bytes);
        now.bytes = 0;
        for (std::uintptr_t byte = at; byte < end; ++byte) {
            now.bytes = static_cast<std::uint8_t>(now.bytes | 1U << byte % cell_bytes);
        }
        if (of_block) {
            forget_other_blocks(cells[at / cell_bytes], now);
        }
        check_cell(cells[at / cell_bytes], now, write, memory, static_cast<std::ptrdiff_t>(at));
        at = end;
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
                        write, "a shared array", true);
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
    if (!in_zone(checker.cached, place)) {
        checker.cached = find_allocation(place);
        if (checker.cached == nullptr) {
            return;  // the fiber's stack, constants
        }
    }
    Allocation& allocation = *checker.cached;
    if (place < allocation.data || place + bytes > allocation.data + allocation.bytes) {
        report(FaultKind::device_bounds,
               fmt::format("{}, which has {} bytes.",
                           words("a device allocation", place - allocation.data, write),
                           allocation.bytes));
        return;
    }
    check_cells(shadow_of(allocation), allocation.data, place, bytes, write, "a device allocation",
                false);
}

void begin_launch(std::uint64_t number, const std::string& /*where*/, BlockRun* block) {
    checker.launch = number;
    checker.block = block;
    checker.cached = nullptr;
    checker.atomic_place = nullptr;
}

void end_launch() {
    checker.block = nullptr;
    checker.cached = nullptr;
}

void forget_cached_allocation() {
    checker.cached = nullptr;
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
