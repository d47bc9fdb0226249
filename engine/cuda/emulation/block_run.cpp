// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/emulation/block_run.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "engine/cuda/emulation/sanitizer.h"

namespace trainscope::emulation {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

constinit thread_local ThreadView* current = nullptr;

namespace {

constexpr int warp_lanes = 32;
thread_local BlockRun* block_of_thread = nullptr;

unsigned bit(int lane) {
    return 1U << static_cast<unsigned>(lane);
}

}  // namespace

BlockRun& running_block() {
    return *block_of_thread;
}

std::string BlockRun::place(const FiberThread& thread) const {
    return fmt::format("{}: block ({}, {}, {}), thread ({}, {}, {})", where_, view_.index.x,
                       view_.index.y, view_.index.z, thread.view.index.x, thread.view.index.y,
                       thread.view.index.z);
}

void BlockRun::fail(FaultKind kind, const FiberThread& thread, const std::string& what) {
    report_fault(kind, fmt::format("{} {}", place(thread), what));
    failed_ = true;
}

void BlockRun::enter(transfer_t from) {
    BlockRun& block = *static_cast<BlockRun*>(from.data);
    block.scheduler_ = from.fctx;
    finish_switch(nullptr, &block.scheduler_bottom_, &block.scheduler_bytes_);
    block.call_.run(block.call_.closure);
    block.running_->waiting = Waiting::ended;
    start_switch(nullptr, block.scheduler_bottom_, block.scheduler_bytes_);
    jump_fcontext(block.scheduler_, nullptr);
}

void BlockRun::resume(FiberThread& thread) {
    running_ = &thread;
    current = &thread.view;
    const FiberStack& stack = stacks_[static_cast<std::size_t>(thread.view.linear)];
    start_switch(&scheduler_left_, stack.bottom(), FiberStack::bytes);
    const transfer_t back = jump_fcontext(thread.context, this);
    finish_switch(scheduler_left_, nullptr, nullptr);
    thread.context = back.fctx;
}

void BlockRun::suspend() {
    FiberThread& thread = *running_;
    start_switch(&thread.left_stack, scheduler_bottom_, scheduler_bytes_);
    const transfer_t back = jump_fcontext(scheduler_, nullptr);
    finish_switch(thread.left_stack, nullptr, nullptr);
    scheduler_ = back.fctx;
}

void BlockRun::start_threads() {
    const auto count = static_cast<std::size_t>(view_.threads.count());
    threads_.resize(count);
    while (stacks_.size() < count) {
        stacks_.emplace_back();
    }
    for (std::size_t i = 0; i < count; ++i) {
        const auto linear = static_cast<unsigned>(i);
        const dim3& size = view_.threads;
        threads_[i] = {};
        threads_[i].view = {.index = {.x = linear % size.x,
                                      .y = linear / size.x % size.y,
                                      .z = linear / size.x / size.y},
                            .linear = static_cast<int>(i),
                            .lane = static_cast<int>(i) % warp_lanes,
                            .block = &view_};
        unpoison(stacks_[i].bottom(), FiberStack::bytes);
        threads_[i].context = make_fcontext(stacks_[i].top(), FiberStack::bytes, &BlockRun::enter);
    }
    sequence_.resize(count);
    std::iota(sequence_.begin(), sequence_.end(), 0);
}

void BlockRun::shuffle_order() {
    for (std::size_t i = sequence_.size(); i > 1; --i) {
        order_ ^= order_ << 13U;
        order_ ^= order_ >> 7U;
        order_ ^= order_ << 17U;
        std::swap(sequence_[i - 1], sequence_[order_ % i]);
    }
}

bool BlockRun::run_ready() {
    if (order_ != 0) {
        shuffle_order();
    }
    bool any = false;
    for (const int i : sequence_) {
        FiberThread& thread = threads_[static_cast<std::size_t>(i)];
        if (thread.waiting == Waiting::nothing) {
            resume(thread);
            any = true;
        }
    }
    return any;
}

void BlockRun::finish_collective(FiberThread* lanes, unsigned group) {
    unsigned votes = 0;
    for (int lane = 0; lane < warp_lanes; ++lane) {
        if ((group & bit(lane)) != 0 && lanes[lane].given != 0) {
            votes |= bit(lane);
        }
    }
    for (int lane = 0; lane < warp_lanes; ++lane) {
        if ((group & bit(lane)) == 0) {
            continue;
        }
        FiberThread& thread = lanes[lane];
        if (thread.collective == Collective::exchange) {
            if ((group & bit(thread.source_lane)) == 0) {
                fail(FaultKind::inactive_lane, thread,
                     fmt::format("reads lane {}, which its mask {:#x} leaves out, at line {}.",
                                 thread.source_lane, thread.mask, thread.line));
                return;
            }
            thread.got = lanes[thread.source_lane].given;
        } else {
            thread.got = votes;
        }
    }
    for (int lane = 0; lane < warp_lanes; ++lane) {
        if ((group & bit(lane)) != 0) {
            lanes[lane].waiting = Waiting::nothing;
            // Only __syncwarp orders memory; a shuffle does not.
            lanes[lane].warp_epoch += lanes[lane].collective == Collective::barrier ? 1U : 0U;
        }
    }
}

bool BlockRun::release_warp(FiberThread* lanes, int count) {
    bool released = false;
    for (int lane = 0; lane < count && !failed_; ++lane) {
        const FiberThread& first = lanes[lane];
        if (first.waiting != Waiting::warp) {
            continue;
        }
        unsigned group = 0;
        for (int other = 0; other < count; ++other) {
            const FiberThread& thread = lanes[other];
            if (thread.waiting == Waiting::warp && thread.mask == first.mask &&
                thread.line == first.line && thread.collective == first.collective) {
                group |= bit(other);
            }
        }
        if ((first.mask & bit(lane)) == 0) {
            fail(FaultKind::inactive_lane, first,
                 fmt::format("is not in its own mask {:#x} at line {}.", first.mask, first.line));
        } else if (group == first.mask) {
            finish_collective(lanes, group);
            released = true;
        }
    }
    return released;
}

bool BlockRun::release_warps() {
    bool released = false;
    const auto count = static_cast<int>(threads_.size());
    for (int first = 0; first < count && !failed_; first += warp_lanes) {
        released |= release_warp(&threads_[static_cast<std::size_t>(first)],
                                 std::min(warp_lanes, count - first));
    }
    return released;
}

bool BlockRun::release_barrier() {
    const FiberThread* first = nullptr;
    const FiberThread* ended = nullptr;
    for (const FiberThread& thread : threads_) {
        if (thread.waiting == Waiting::ended) {
            ended = &thread;
            continue;
        }
        if (thread.waiting != Waiting::barrier) {
            return false;
        }
        if (first == nullptr) {
            first = &thread;
        } else if (thread.line != first->line) {
            fail(FaultKind::divergent_barrier, thread,
                 fmt::format("waits at the barrier of line {}, others at that of line {}.",
                             thread.line, first->line));
            return false;
        }
    }
    if (first != nullptr && ended != nullptr) {
        fail(FaultKind::divergent_barrier, *ended,
             fmt::format("ended before the barrier of line {}.", first->line));
        return false;
    }
    for (FiberThread& thread : threads_) {
        thread.waiting = thread.waiting == Waiting::barrier ? Waiting::nothing : thread.waiting;
    }
    ++barrier_epoch_;
    return first != nullptr;
}

void BlockRun::report_stuck() {
    for (const FiberThread& thread : threads_) {
        if (thread.waiting != Waiting::warp) {
            continue;
        }
        const int first = thread.view.linear - thread.view.lane;
        for (int lane = 0; lane < warp_lanes; ++lane) {
            if ((thread.mask & bit(lane)) == 0) {
                continue;
            }
            const auto other = static_cast<std::size_t>(first + lane);
            if (other >= threads_.size() || threads_[other].waiting != Waiting::warp) {
                fail(FaultKind::inactive_lane, thread,
                     fmt::format("waits at line {} for lane {}, which does not come.", thread.line,
                                 lane));
                return;
            }
        }
        fail(FaultKind::mismatched_mask, thread,
             fmt::format("waits at line {} with mask {:#x} for lanes that wait elsewhere or with "
                         "another mask.",
                         thread.line, thread.mask));
        return;
    }
}

void BlockRun::run(const KernelCall& call, const BlockView& view, std::size_t shared_bytes,
                   const std::string& where) {
    call_ = call;
    view_ = view;
    where_ = where;
    failed_ = false;
    barrier_epoch_ = 0;
    shared_.reset(shared_bytes);
    block_of_thread = this;
    start_threads();
    while (!failed_) {
        if (run_ready() || release_warps() || failed_) {
            continue;
        }
        bool all_ended = true;
        for (const FiberThread& thread : threads_) {
            all_ended = all_ended && thread.waiting == Waiting::ended;
        }
        if (all_ended) {
            break;
        }
        if (!release_barrier() && !failed_) {
            report_stuck();
        }
    }
    if (const std::string damage = shared_.damage(); !damage.empty()) {
        report_fault(FaultKind::shared_bounds,
                     fmt::format("{}: block ({}, {}, {}) wrote {}.", where_, view_.index.x,
                                 view_.index.y, view_.index.z, damage));
    }
    current = nullptr;
    running_ = nullptr;
    block_of_thread = nullptr;
}

}  // namespace trainscope::emulation
