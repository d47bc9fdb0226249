// SPDX-License-Identifier: GPL-3.0-or-later
// Where a training is, handed from the thread that trains to any other without a lock: the writer
// never waits, a reader that meets a write reads again (a sequence lock over atomic words).
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace trainscope {

struct Progress {
    std::int64_t state = 0;  // a TrainerState
    std::int64_t step = 0;
    std::int64_t samples = 0;
    std::int64_t epoch = 0;
    std::int64_t epoch_offset = 0;
    double active_seconds = 0;
    std::int64_t device_total = 0;  // a MemoryReport; 0: there is none
    std::int64_t device_available = 0;
    std::int64_t device_reserved = 0;
};

class ProgressCell {
  public:
    // Writer only.
    void write(const Progress& progress) {
        const auto words = std::bit_cast<Words>(progress);
        const std::uint64_t sequence = sequence_.load(std::memory_order_relaxed);
        sequence_.store(sequence + 1, std::memory_order_relaxed);
        // A reader that sees one of the new words also sees that the sequence is odd.
        for (std::size_t i = 0; i < words.size(); ++i) {
            words_[i].store(words[i], std::memory_order_release);
        }
        sequence_.store(sequence + 2, std::memory_order_release);
    }

    Progress read() const {
        while (true) {
            const std::uint64_t before = sequence_.load(std::memory_order_acquire);
            Words words;
            for (std::size_t i = 0; i < words.size(); ++i) {
                words[i] = words_[i].load(std::memory_order_acquire);
            }
            const std::uint64_t after = sequence_.load(std::memory_order_relaxed);
            if (before == after && before % 2 == 0) {
                return std::bit_cast<Progress>(words);
            }
        }
    }

  private:
    using Words = std::array<std::uint64_t, sizeof(Progress) / sizeof(std::uint64_t)>;
    std::atomic<std::uint64_t> sequence_{0};
    std::array<std::atomic<std::uint64_t>, std::tuple_size_v<Words>> words_{};
};

}  // namespace trainscope
