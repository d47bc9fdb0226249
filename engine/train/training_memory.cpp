// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/training_memory.h"

#include <array>
#include <utility>

namespace trainscope {

namespace {

Result<Buffer> allocate_block(Arena& arena, const PlannedBlock& block) {
    return arena.allocate(block.bytes, block.category, block.name);
}

// The block of that index; nothing for index -1.
Result<Buffer> allocate_block(Arena& arena, const MemoryPlan& plan, std::int64_t index) {
    return index < 0 ? Buffer{}
                     : allocate_block(arena, plan.blocks[static_cast<std::size_t>(index)]);
}

void clear(DeviceRuntime& runtime, const Buffer& buffer) {
    if (buffer) {
        runtime.clear(buffer.data(), buffer.bytes());
    }
}

}  // namespace

Result<ModelState> allocate_state(DeviceRuntime& runtime, Arena& arena, const MemoryPlan& plan) {
    ModelState state;
    const std::array<std::pair<Buffer*, std::int64_t>, 4> wanted = {
        {{&state.parameters, plan.parameters_block},
         {&state.running, plan.buffers_block},
         {&state.kept_running, plan.kept_buffers_block},
         {&state.gradients, plan.gradients_block}}};
    for (const auto& [buffer, index] : wanted) {
        Result<Buffer> block = allocate_block(arena, plan, index);
        if (!block) {
            return make_error(std::move(block.error()));
        }
        *buffer = std::move(*block);
    }
    if (Result<void> renewed = renew_optimizer_state(runtime, arena, plan, state); !renewed) {
        return make_error(std::move(renewed.error()));
    }
    return state;
}

Result<void> renew_optimizer_state(DeviceRuntime& runtime, Arena& arena, const MemoryPlan& plan,
                                   ModelState& state) {
    const std::array<std::pair<Buffer*, std::int64_t>, 2> wanted = {
        {{&state.state0, plan.state0_block}, {&state.state1, plan.state1_block}}};
    std::array<Buffer, 2> missing;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (*wanted[i].first) {
            continue;
        }
        Result<Buffer> block = allocate_block(arena, plan, wanted[i].second);
        if (!block) {
            return make_error(std::move(block.error()));
        }
        missing[i] = std::move(*block);
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        Buffer& buffer = *wanted[i].first;
        if (wanted[i].second < 0 || missing[i]) {
            buffer = std::move(missing[i]);
        }
        clear(runtime, buffer);
    }
    return {};
}

void WorkingMemory::get_slots(bool soft_targets, std::vector<BatchSlot>& slots) const {
    slots.resize(plan.input_blocks.size());
    for (std::size_t i = 0; i < plan.input_blocks.size(); ++i) {
        float* const targets = block(plan.target_blocks[i]);
        BatchSlot slot{.samples = block(plan.input_blocks[i])};
        if (soft_targets) {
            slot.targets = targets;
        } else {
            // The block was taken for int32: no float is ever stored in it.
            slot.labels = static_cast<std::int32_t*>(static_cast<void*>(targets));
        }
        slots[i] = slot;
    }
}

Result<void> allocate_blocks(Arena& arena, WorkingMemory& memory) {
    for (std::size_t i = 0; i < memory.blocks.size(); ++i) {
        const PlannedBlock& block = memory.plan.blocks[i];
        const bool of_state = block.category == MemoryCategory::parameters ||
                              block.category == MemoryCategory::gradients ||
                              block.category == MemoryCategory::optimizer_state;
        Result<Buffer> buffer = of_state ? Buffer{} : allocate_block(arena, block);
        if (!buffer) {
            release_blocks(memory);
            return make_error(std::move(buffer.error()));
        }
        memory.blocks[i] = std::move(*buffer);
    }
    return {};
}

void release_blocks(WorkingMemory& memory) {
    for (Buffer& buffer : memory.blocks) {
        buffer = {};
    }
}

}  // namespace trainscope
