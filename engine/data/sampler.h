// SPDX-License-Identifier: GPL-3.0-or-later
// The order of samples: a seeded permutation an epoch, each sample exactly once, whatever the batch
// sizes are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace trainscope {

class Sampler {
  public:
    // shuffle = false keeps file order (reference runs).
    Sampler(std::int64_t count, std::uint64_t seed, bool shuffle = true);

    // The order of one epoch, a function of (count, seed, epoch) alone. The span holds until the
    // next call with another epoch.
    std::span<const std::int64_t> order(std::int64_t epoch);
    std::int64_t count() const { return count_; }

  private:
    std::int64_t count_;
    std::uint64_t seed_;
    bool shuffle_;
    std::int64_t epoch_ = -1;
    std::vector<std::int64_t> order_;
};

// Where the next sample is taken: samples before `offset` of `epoch` are used up.
struct SamplePosition {
    std::int64_t epoch = 0;
    std::int64_t offset = 0;
    bool operator==(const SamplePosition&) const = default;
};

}  // namespace trainscope
