// SPDX-License-Identifier: GPL-3.0-or-later
// A launch: the limits a device would hold it to, then its blocks, one after another.
#include "engine/cuda/emulation/block.h"

#include <fmt/format.h>

#include <atomic>
#include <string>

#include "engine/cuda/emulation/block_run.h"
#include "engine/cuda/emulation/checker.h"
#include "engine/cuda/emulation/device_memory.h"
#include "engine/cuda/emulation/faults.h"

namespace trainscope::emulation {

namespace {

std::atomic<std::uint64_t> order_seed = 0;
std::atomic<std::uint64_t> launches = 0;

std::string broken_limit(dim3 grid, dim3 threads, std::size_t shared_bytes) {
    constexpr std::uint64_t most_threads = 1024;
    constexpr unsigned most_z = 64;
    constexpr unsigned most_grid_yz = 65535;
    constexpr unsigned most_grid_x = 0x7FFFFFFF;
    if (threads.count() == 0 || threads.count() > most_threads || threads.z > most_z) {
        return fmt::format("a block of {} x {} x {} threads", threads.x, threads.y, threads.z);
    }
    if (grid.count() == 0 || grid.x > most_grid_x || grid.y > most_grid_yz ||
        grid.z > most_grid_yz) {
        return fmt::format("a grid of {} x {} x {} blocks", grid.x, grid.y, grid.z);
    }
    if (shared_bytes > dynamic_shared_limit) {
        return fmt::format("{} bytes of dynamic shared memory, with {} allowed", shared_bytes,
                           dynamic_shared_limit);
    }
    return {};
}

}  // namespace

void set_order_seed(std::uint64_t seed) {
    order_seed = seed;
}

std::uint64_t launch_count() {
    return launches;
}

void run_launch(const KernelCall& call, dim3 grid, dim3 threads, std::size_t shared_bytes,
                const std::string& where) {
    if (has_faults()) {
        return;
    }
    const std::uint64_t number = ++launches;
    if (const std::string broken = broken_limit(grid, threads, shared_bytes); !broken.empty()) {
        report_fault(FaultKind::launch_limit, fmt::format("{}: {}", where, broken));
        return;
    }
    static thread_local BlockRun run;
    begin_launch(number, where, &run);
    const std::uint64_t seed = order_seed;
    run.set_order(seed == 0 ? 0 : seed * 0x9E3779B97F4A7C15U + number);
    // Blocks run forwards, or backwards for odd seeds: their order means nothing to a right kernel.
    const std::uint64_t count = grid.count();
    for (std::uint64_t i = 0; i < count && !has_faults(); ++i) {
        const std::uint64_t at = seed % 2 == 0 ? i : count - 1 - i;
        const uint3 index{.x = static_cast<unsigned>(at % grid.x),
                          .y = static_cast<unsigned>(at / grid.x % grid.y),
                          .z = static_cast<unsigned>(at / grid.x / grid.y)};
        run.run(call, {.index = index, .threads = threads, .grid = grid}, shared_bytes, where);
    }
    end_launch();
    if (const std::string damage = device_memory_damage(); !damage.empty()) {
        report_fault(FaultKind::device_bounds, fmt::format("{}: wrote {}", where, damage));
    }
}

}  // namespace trainscope::emulation
