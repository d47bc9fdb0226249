// SPDX-License-Identifier: GPL-3.0-or-later
// Normal numbers to feed kernels with: a function of (seed, stream, count) alone.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/random.h"

namespace trainscope::testing {

inline std::vector<float> seeded_floats(std::int64_t count, std::uint64_t seed,
                                        std::uint64_t stream, double mean = 0,
                                        double deviation = 1) {
    Random random(seed, stream);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) {
        value = static_cast<float>(mean + deviation * random.normal());
    }
    return values;
}

}  // namespace trainscope::testing
