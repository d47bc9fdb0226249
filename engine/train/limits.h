// SPDX-License-Identifier: GPL-3.0-or-later
// The largest values that a training takes, for whoever asks for them.
#pragma once

#include <cstdint>

namespace trainscope {

inline constexpr std::int64_t largest_accumulation = 1'000'000;  // micro-batches

}  // namespace trainscope
