// SPDX-License-Identifier: GPL-3.0-or-later
// A ring of slots between two threads. The trainer's side counts the slots it has given back, the
// loader's side those it has filled; each waits on the other's counter. Neither takes a lock and
// neither allocates while batches flow; restart and pause stop the loader's thread between two
// batches by raising an epoch that it acknowledges.
#include "engine/data/loader.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <thread>
#include <utility>

namespace trainscope {

class Loader::Implementation {
  public:
    Implementation(std::shared_ptr<const Dataset> dataset, std::uint64_t seed, bool shuffle)
        : dataset_(std::move(dataset)), sampler_(dataset_->train.count, seed, shuffle) {
        thread_ = std::jthread([this] { run(); });
    }

    ~Implementation() {
        halt();
        // Not before: the loader may still be waking up from the halt before this one, and would
        // leave without acknowledging this one.
        ending_.store(true, std::memory_order_relaxed);
        resume();
    }

    void restart(SamplePosition from, std::int64_t micro_batch, std::span<const BatchSlot> slots) {
        assert(slots.size() >= 2 && micro_batch >= 1);
        const bool others = slots.size() != slots_.size();
        std::vector<BatchSlot> new_slots(others ? slots.size() : 0);  // here it may throw
        std::vector<Batch> new_batches(new_slots.size());
        halt();
        if (others) {
            slots_.swap(new_slots);
            batches_.swap(new_batches);
        }
        std::ranges::copy(slots, slots_.begin());
        std::ranges::fill(batches_, Batch{});
        micro_batch_ = micro_batch;
        begin(from);
        resume();
    }

    void restart(SamplePosition from) {
        assert(slots_.size() >= 2);
        halt();
        begin(from);
        resume();
    }

    void pause() {
        halt();
        active_ = false;
        resume();
    }

    Batch next(std::size_t kept) {
        assert(active_ && kept + 1 < slots_.size());
        if (taken_ > kept) {
            give_back(taken_ - kept);
        }
        std::uint64_t filled = filled_.load(std::memory_order_acquire);
        while (filled == taken_) {
            wake_loader();  // all that was given back, however little
            filled_.wait(filled, std::memory_order_acquire);
            filled = filled_.load(std::memory_order_acquire);
        }
        return batches_[static_cast<std::size_t>(taken_++ % slots_.size())];
    }

  private:
    static constexpr std::int64_t elements_at_once = std::int64_t{1} << 20;

    // The trainer's side ------------------------------------------------------------------------

    // Waits until the loader's thread touches nothing of ours; it stays so until resume.
    void halt() {
        const std::uint64_t request = 1 + requests_.load(std::memory_order_relaxed);
        requests_.store(request, std::memory_order_release);
        wake_loader();
        std::uint64_t seen = acknowledged_.load(std::memory_order_acquire);
        while (seen != request) {
            acknowledged_.wait(seen, std::memory_order_acquire);
            seen = acknowledged_.load(std::memory_order_acquire);
        }
    }
    void begin(SamplePosition from) {  // while the loader is halted
        assert(from.offset >= 0 && from.offset <= dataset_->train.count);
        position_ = from.offset < dataset_->train.count ? from : SamplePosition{from.epoch + 1, 0};
        filled_.store(0, std::memory_order_relaxed);
        released_.store(0, std::memory_order_relaxed);
        taken_ = 0;
        active_ = dataset_->train.count > 0;
    }
    void resume() {
        resumed_.store(requests_.load(std::memory_order_relaxed), std::memory_order_release);
        resumed_.notify_one();
    }

    void give_back(std::uint64_t count) {
        released_.store(count, std::memory_order_release);
        // Waking a thread costs more than filling a small batch: only when there is work for it.
        const std::uint64_t ahead = filled_.load(std::memory_order_relaxed) - taken_;
        if (2 * ahead <= slots_.size() - (taken_ - count)) {
            wake_loader();
        }
    }
    void wake_loader() {
        signal_.fetch_add(1, std::memory_order_release);
        signal_.notify_one();
    }

    // The loader's side -------------------------------------------------------------------------

    void run() {
        std::uint64_t handled = 0;
        while (true) {
            // Read before the conditions are looked at, so that no wake-up is missed.
            const std::uint32_t signal = signal_.load(std::memory_order_acquire);
            const std::uint64_t request = requests_.load(std::memory_order_acquire);
            if (request != handled) {
                acknowledged_.store(request, std::memory_order_release);
                acknowledged_.notify_one();
                std::uint64_t resumed = resumed_.load(std::memory_order_acquire);
                while (resumed != request) {
                    resumed_.wait(resumed, std::memory_order_acquire);
                    resumed = resumed_.load(std::memory_order_acquire);
                }
                if (ending_.load(std::memory_order_relaxed)) {
                    return;
                }
                handled = request;
                continue;
            }
            const std::uint64_t filled = filled_.load(std::memory_order_relaxed);
            if (!active_ || filled - released_.load(std::memory_order_acquire) >= slots_.size()) {
                signal_.wait(signal, std::memory_order_acquire);
                continue;
            }
            if (!fill(static_cast<std::size_t>(filled % slots_.size()), handled)) {
                continue;
            }
            filled_.store(filled + 1, std::memory_order_release);
            filled_.notify_one();
        }
    }

    // False when a halt was asked for meanwhile: a large batch takes long, and nobody wants it.
    bool fill(std::size_t slot, std::uint64_t handled) {
        const std::int64_t count = dataset_->train.count;
        const std::int64_t elements = std::max<std::int64_t>(1, dataset_->sample.elements());
        const std::int64_t piece = std::max<std::int64_t>(1, elements_at_once / elements);
        const std::span<const std::int64_t> order = sampler_.order(position_.epoch);
        const std::int64_t size = std::min(micro_batch_, count - position_.offset);
        const BatchSlot& to = slots_[slot];
        for (std::int64_t i = 0; i < size; i += piece) {
            if (i > 0 && requests_.load(std::memory_order_relaxed) != handled) {
                return false;
            }
            dataset_->read(Split::train,
                           order.subspan(static_cast<std::size_t>(position_.offset + i),
                                         static_cast<std::size_t>(std::min(piece, size - i))),
                           to.samples + i * elements,
                           to.labels == nullptr ? nullptr : to.labels + i,
                           to.targets == nullptr ? nullptr : to.targets + i * dataset_->classes);
        }
        Batch& batch = batches_[slot];
        batch.slot = &slots_[slot];
        batch.size = size;
        batch.begin = position_;
        batch.last_of_epoch = position_.offset + size == count;
        position_ = batch.last_of_epoch ? SamplePosition{position_.epoch + 1, 0}
                                        : SamplePosition{position_.epoch, position_.offset + size};
        batch.end = position_;
        return true;
    }

    std::shared_ptr<const Dataset> dataset_;

    // Written by the trainer's side while the loader is halted, then only read.
    std::vector<BatchSlot> slots_;
    std::int64_t micro_batch_ = 1;
    bool active_ = false;
    // The loader's thread, and the trainer's side while it is halted.
    Sampler sampler_;
    SamplePosition position_;
    std::vector<Batch> batches_;  // [i] is valid for the trainer once filled_ passed it
    // The trainer's side only: batches handed out since the restart.
    std::uint64_t taken_ = 0;

    std::atomic<std::uint64_t> filled_{0};    // batches filled since the restart
    std::atomic<std::uint64_t> released_{0};  // batches given back since the restart
    std::atomic<std::uint32_t> signal_{0};    // raised to wake the loader
    std::atomic<std::uint64_t> requests_{0};  // halts asked for
    std::atomic<std::uint64_t> acknowledged_{0};
    std::atomic<std::uint64_t> resumed_{0};
    std::atomic<bool> ending_{false};

    std::jthread thread_;  // last: it uses all of the above
};

Loader::Loader(std::shared_ptr<const Dataset> dataset, std::uint64_t seed, bool shuffle)
    : implementation_(std::make_unique<Implementation>(std::move(dataset), seed, shuffle)) {}
Loader::~Loader() = default;

void Loader::restart(SamplePosition from, std::int64_t micro_batch,
                     std::span<const BatchSlot> slots) {
    implementation_->restart(from, micro_batch, slots);
}
void Loader::restart(SamplePosition from) {
    implementation_->restart(from);
}
void Loader::pause() {
    implementation_->pause();
}
Batch Loader::next(std::size_t kept) {
    return implementation_->next(kept);
}

}  // namespace trainscope
