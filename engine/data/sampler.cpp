// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/sampler.h"

#include <cassert>
#include <numeric>
#include <utility>

#include "engine/core/random.h"

namespace trainscope {

Sampler::Sampler(std::int64_t count, std::uint64_t seed, bool shuffle)
    : count_(count), seed_(seed), shuffle_(shuffle), order_(static_cast<std::size_t>(count)) {
    assert(count >= 0);
}

std::span<const std::int64_t> Sampler::order(std::int64_t epoch) {
    if (epoch != epoch_) {
        epoch_ = epoch;
        std::iota(order_.begin(), order_.end(), std::int64_t{0});
        if (shuffle_) {
            // Fisher and Yates, from the end.
            Random random(seed_, static_cast<std::uint64_t>(epoch));
            for (std::size_t i = order_.size(); i > 1; --i) {
                std::swap(order_[i - 1], order_[static_cast<std::size_t>(random.below(i))]);
            }
        }
    }
    return order_;
}

}  // namespace trainscope
