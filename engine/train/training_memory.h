// SPDX-License-Identifier: GPL-3.0-or-later
// The blocks of a memory plan, taken from an arena: the model's state, which lives as long as the
// training, and the working memory of one setting, which a turned knob replaces.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/core/arena.h"
#include "engine/core/device_runtime.h"
#include "engine/core/result.h"
#include "engine/data/loader.h"
#include "engine/model/memory_plan.h"

namespace trainscope {

struct ModelState {
    Buffer parameters;
    Buffer running;       // batch norm's running mean and variance
    Buffer kept_running;  // the same, as they were before the step
    Buffer gradients;
    Buffer state0, state1;  // of the optimizer
};

// Errors: out_of_memory; the arena is then as it was.
Result<ModelState> allocate_state(DeviceRuntime& runtime, Arena& arena, const MemoryPlan& plan);

// Gives the optimizer the blocks it has in `plan` and clears them. What is missing is allocated
// before anything is changed, so that on an error the old state stays as it was.
Result<void> renew_optimizer_state(DeviceRuntime& runtime, Arena& arena, const MemoryPlan& plan,
                                   ModelState& state);

struct WorkingMemory {
    explicit WorkingMemory(MemoryPlan of) : plan(std::move(of)), blocks(plan.blocks.size()) {}

    MemoryPlan plan;
    std::vector<Buffer> blocks;  // one a block of the plan; empty for those of ModelState

    // Where a block starts; nullptr for index -1.
    float* block(std::int64_t index) const {
        return index < 0 ? nullptr : blocks[static_cast<std::size_t>(index)].floats();
    }
    // As many as the plan says. Allocates nothing where `slots` has that size.
    void get_slots(bool soft_targets, std::vector<BatchSlot>& slots) const;
};

// Takes the blocks of `memory.plan`. Errors: out_of_memory; the arena is then as it was and all
// blocks are empty.
Result<void> allocate_blocks(Arena& arena, WorkingMemory& memory);
void release_blocks(WorkingMemory& memory);

}  // namespace trainscope
