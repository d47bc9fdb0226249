// SPDX-License-Identifier: GPL-3.0-or-later
// What a thread asks of its block.
#include "engine/cuda/emulation/thread.h"

#include <fmt/format.h>

#include "engine/cuda/emulation/block_run.h"
#include "engine/cuda/emulation/device_code.h"

namespace trainscope::emulation {

namespace {

FiberThread& wait_in_warp(Collective collective, unsigned mask, std::uint64_t given,
                          int source_lane, int line) {
    FiberThread& thread = running_block().running();
    thread.waiting = Waiting::warp;
    thread.collective = collective;
    thread.mask = mask;
    thread.given = given;
    thread.source_lane = source_lane;
    thread.line = line;
    running_block().suspend();
    return thread;
}

}  // namespace

void barrier(int line) {
    FiberThread& thread = running_block().running();
    thread.waiting = Waiting::barrier;
    thread.line = line;
    running_block().suspend();
}

std::uint64_t exchange(unsigned mask, std::uint64_t value, int source_lane, int line) {
    return wait_in_warp(Collective::exchange, mask, value, source_lane, line).got;
}

unsigned ballot(unsigned mask, bool predicate, int line) {
    return static_cast<unsigned>(
        wait_in_warp(Collective::ballot, mask, predicate ? 1 : 0, 0, line).got);
}

void warp_barrier(unsigned mask, int line) {
    wait_in_warp(Collective::barrier, mask, 0, 0, line);
}

void* shared(const void* key, std::size_t bytes, std::size_t alignment) {
    BlockRun& block = running_block();
    void* const array = block.shared_memory().array(key, bytes, alignment);
    if (array == nullptr || block.shared_memory().used() > largest_shared_bytes) {
        report_fault(FaultKind::launch_limit,
                     fmt::format("{} needs more than the {} bytes of shared memory of a block.",
                                 block.place(block.running()), largest_shared_bytes));
    }
    return array;
}

void* dynamic_shared() {
    return running_block().shared_memory().dynamic();
}

}  // namespace trainscope::emulation
