// SPDX-License-Identifier: GPL-3.0-or-later
// One block at a time: its fibers, its shared memory, and who waits for whom.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/cuda/emulation/block.h"
#include "engine/cuda/emulation/faults.h"
#include "engine/cuda/emulation/fiber_stack.h"
#include "engine/cuda/emulation/shared_memory.h"

namespace trainscope::emulation {

enum class Waiting : std::uint8_t { nothing, barrier, warp, ended };
enum class Collective : std::uint8_t { exchange, ballot, barrier };

struct FiberThread {
    ThreadView view;  // first: `current` points here
    Waiting waiting = Waiting::nothing;
    int line = 0;  // of the barrier or collective
    Collective collective = Collective::barrier;
    unsigned mask = 0;
    std::uint64_t given = 0;
    int source_lane = 0;
    std::uint64_t got = 0;
    std::uint32_t warp_epoch = 0;  // __syncwarps passed
    boost::context::detail::fcontext_t context = nullptr;
    void* left_stack = nullptr;  // AddressSanitizer's
};

class BlockRun {
  public:
    // 0: threads in their order.
    void set_order(std::uint64_t seed) { order_ = seed; }
    void run(const KernelCall& call, const BlockView& view, std::size_t shared_bytes,
             const std::string& where);

    // Called by the thread that runs.
    FiberThread& running() { return *running_; }
    void suspend();
    SharedMemory& shared_memory() { return shared_; }
    const BlockView& view() const { return view_; }
    std::uint32_t barrier_epoch() const { return barrier_epoch_; }
    std::string place(const FiberThread& thread) const;

  private:
    static void enter(boost::context::detail::transfer_t from);
    void start_threads();
    void resume(FiberThread& thread);
    bool run_ready();
    bool release_warps();
    bool release_warp(FiberThread* lanes, int count);
    void finish_collective(FiberThread* lanes, unsigned group);
    bool release_barrier();
    void report_stuck();
    void fail(FaultKind kind, const FiberThread& thread, const std::string& what);
    void shuffle_order();

    KernelCall call_;
    BlockView view_;
    std::string where_;
    std::uint64_t order_ = 0;
    std::vector<FiberThread> threads_;
    std::vector<int> sequence_;
    std::vector<FiberStack> stacks_;
    SharedMemory shared_;
    FiberThread* running_ = nullptr;
    std::uint32_t barrier_epoch_ = 0;
    bool failed_ = false;
    boost::context::detail::fcontext_t scheduler_ = nullptr;
    void* scheduler_left_ = nullptr;
    const void* scheduler_bottom_ = nullptr;
    std::size_t scheduler_bytes_ = 0;
};

// The block that runs on this OS thread; only inside a kernel.
BlockRun& running_block();

}  // namespace trainscope::emulation
