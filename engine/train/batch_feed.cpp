// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/batch_feed.h"

#include <cassert>
#include <utility>

namespace trainscope {

Result<void> BatchFeed::prepare(const SampleBytes& bytes, std::int64_t micro_batch) {
    Staging next;
    next.bytes = bytes;
    next.targets_at = rounded_allocation(micro_batch * bytes.samples);
    for (Buffer& block : next.blocks) {
        if (on_host()) {
            break;
        }
        Result<Buffer> taken = staging_.allocate(next.targets_at + micro_batch * bytes.targets,
                                                 MemoryCategory::input, "staging of a batch");
        if (!taken) {
            return make_error(std::move(taken.error()));
        }
        block = std::move(*taken);
    }
    next_ = std::move(next);
    return {};
}

void BatchFeed::adopt() {
    now_ = std::exchange(next_, {});
}

void BatchFeed::use(const WorkingMemory& memory) {
    memory.get_slots(now_.bytes.soft_targets, tensors_);
    assert(tensors_.size() <= most_tensors);
    all_done();
    if (on_host()) {
        slots_ = tensors_;
        return;
    }
    slots_.resize(staging_slots);
    for (std::size_t i = 0; i < staging_slots; ++i) {
        const Buffer& block = now_.blocks[i];
        void* const targets = static_cast<std::byte*>(block.data()) + now_.targets_at;
        slots_[i] = {.samples = block.floats()};
        if (now_.bytes.soft_targets) {
            slots_[i].targets = static_cast<float*>(targets);
        } else {
            slots_[i].labels = static_cast<std::int32_t*>(targets);
        }
    }
}

void BatchFeed::wait_for_room() {
    if (on_host()) {
        return;
    }
    newest_ = (newest_ + 1) % tensors_.size();
    const DeviceRuntime::Mark mark = std::exchange(used_until_[newest_], 0);
    if (mark != 0 && !runtime_->passed(mark)) {
        runtime_->wait(mark);
    }
}

const BatchSlot& BatchFeed::bring(const BatchSlot& filled, std::int64_t n) {
    if (on_host()) {
        return filled;
    }
    const BatchSlot& to = tensors_[newest_];
    runtime_->upload_ahead(to.samples, filled.samples, n * now_.bytes.samples);
    if (now_.bytes.soft_targets) {
        runtime_->upload_ahead(to.targets, filled.targets, n * now_.bytes.targets);
    } else {
        runtime_->upload_ahead(to.labels, filled.labels, n * now_.bytes.targets);
    }
    return to;
}

}  // namespace trainscope
