// SPDX-License-Identifier: GPL-3.0-or-later
// The way of a batch from the loader to the device's input tensors. Where tensors are host memory
// the loader fills them itself; elsewhere it fills staging memory, which is copied while the
// batches before are still computed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/arena.h"
#include "engine/core/device_runtime.h"
#include "engine/core/result.h"
#include "engine/data/loader.h"
#include "engine/train/training_memory.h"

namespace trainscope {

// What a batch of one sample has.
struct SampleBytes {
    std::int64_t samples = 0;
    std::int64_t targets = 0;  // its label, or its soft targets
    bool soft_targets = false;
};

class BatchFeed {
  public:
    explicit BatchFeed(DeviceRuntime& runtime)
        : runtime_(&runtime), staging_(runtime.staging_allocator()) {}

    // Takes the staging memory for batches of that many samples, beside what there is. Error
    // out_of_memory; all is then as it was.
    Result<void> prepare(const SampleBytes& bytes, std::int64_t micro_batch);
    // What was prepared takes the place of what there is. Nothing of the slots before may be in use
    // any more, and the loader must be paused.
    void adopt();
    // From now on batches go to these tensors. Allocates nothing once it has run.
    void use(const WorkingMemory& memory);

    // What the loader, or who reads samples, fills.
    std::span<const BatchSlot> slots() const { return slots_; }
    // How many batches before the newest the loader must leave alone.
    std::size_t kept() const { return on_host() ? 0 : tensors_.size() - 1; }

    // Waits until there are tensors for one more batch.
    void wait_for_room();
    // The tensors of a batch of n samples that lies in one of `slots`. Call wait_for_room before.
    const BatchSlot& bring(const BatchSlot& filled, std::int64_t n);
    // The tensors given last are in use until then. Those of a batch that is given up need no mark
    // once the device has been waited for.
    void used_until(DeviceRuntime::Mark mark) { used_until_[newest_] = mark; }
    // All work that was given is done.
    void all_done() { used_until_.fill(0); }

  private:
    static constexpr std::size_t most_tensors = 3;
    // One more than tensors, so that the loader has one to fill while all others are on their way.
    static constexpr std::size_t staging_slots = most_tensors + 1;

    bool on_host() const { return runtime_->tensors_are_host_memory(); }

    DeviceRuntime* runtime_;
    Arena staging_;
    struct Staging {
        SampleBytes bytes;
        std::int64_t targets_at = 0;               // bytes from the start of a block
        std::array<Buffer, staging_slots> blocks;  // samples, then targets; empty on the host
    };
    Staging now_, next_;
    std::vector<BatchSlot> tensors_;
    std::vector<BatchSlot> slots_;
    std::array<DeviceRuntime::Mark, most_tensors> used_until_{};  // 0: free
    std::size_t newest_ = 0;
};

}  // namespace trainscope
