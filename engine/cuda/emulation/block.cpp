// SPDX-License-Identifier: GPL-3.0-or-later
// The scheduler of fibers. Not instrumented by any checker of accesses: it is not device code.
#include "engine/cuda/emulation/block.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/cuda/emulation/block_run.h"
#include "engine/cuda/emulation/checker.h"
#include "engine/cuda/emulation/device_memory.h"
#include "engine/cuda/emulation/faults.h"

namespace trainscope::emulation {

namespace {

std::atomic<std::uint64_t> order_seed = 0;
std::atomic<std::uint64_t> launches = 0;

struct AllowedShared {
    std::mutex mutex;
    std::vector<std::pair<const void*, std::size_t>> kernels;
    static AllowedShared& instance() {
        static AllowedShared allowed;
        return allowed;
    }
};

std::size_t allowed_shared_bytes(const void* kernel) {
    AllowedShared& allowed = AllowedShared::instance();
    const std::lock_guard lock(allowed.mutex);
    for (const auto& [known, bytes] : allowed.kernels) {
        if (known == kernel) {
            return bytes;
        }
    }
    return static_shared_limit;
}

std::string broken_limit(const KernelCall& call, dim3 grid, dim3 threads,
                         std::size_t shared_bytes) {
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
    if (shared_bytes > allowed_shared_bytes(call.kernel)) {
        return fmt::format("{} bytes of dynamic shared memory, with {} allowed", shared_bytes,
                           allowed_shared_bytes(call.kernel));
    }
    return {};
}

}  // namespace

void allow_shared_bytes(const void* kernel, std::size_t bytes) {
    AllowedShared& allowed = AllowedShared::instance();
    const std::lock_guard lock(allowed.mutex);
    for (auto& [known, most] : allowed.kernels) {
        if (known == kernel) {
            most = bytes;
            return;
        }
    }
    allowed.kernels.emplace_back(kernel, bytes);
}

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
    if (const std::string broken = broken_limit(call, grid, threads, shared_bytes);
        !broken.empty()) {
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
