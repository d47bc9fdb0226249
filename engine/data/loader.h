// SPDX-License-Identifier: GPL-3.0-or-later
// Fills batches ahead of the trainer on a thread of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/data/sampler.h"

namespace trainscope {

// One slot of the ring: memory that the trainer owns and lends to the loader.
struct BatchSlot {
    float* samples = nullptr;        // [micro_batch, C, H, W]
    std::int32_t* labels = nullptr;  // [micro_batch], or
    float* targets = nullptr;        // [micro_batch, classes]
};

struct Batch {
    const BatchSlot* slot = nullptr;
    std::int64_t size = 0;  // <= micro_batch: the last of an epoch may be shorter
    SamplePosition begin;   // first sample of this batch
    SamplePosition end;     // where the next one begins (the next epoch after the last)
    bool last_of_epoch = false;
};

// Hands out consecutive micro-batches of the train split. The loader runs ahead by the slots it was
// given; what it prefetched and the trainer did not take is not lost: the trainer restarts it at
// the position it reached, so that each sample is seen once an epoch though the batch size changes.
class Loader {
  public:
    Loader(std::shared_ptr<const Dataset> dataset, std::uint64_t seed, bool shuffle = true);
    ~Loader();  // stops and joins
    Loader(const Loader&) = delete;
    Loader& operator=(const Loader&) = delete;

    // Drops what was prefetched and goes on from `from` with these slots and this size. The slots
    // given before are not touched any more once this returns. At least 2 slots. Allocates only
    // when their number is another than before.
    void restart(SamplePosition from, std::int64_t micro_batch, std::span<const BatchSlot> slots);
    // The same with the slots and the size that there are. Allocates nothing.
    void restart(SamplePosition from);
    // Stops touching any slot and waits for the next restart (before slots are freed).
    void pause();
    // The next batch, waiting for it if it is not ready. It and the `kept` batches before it stay
    // valid until the next call of next, restart or pause; kept + 1 must be below the slots'
    // number.
    Batch next(std::size_t kept = 0);

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace trainscope
