// SPDX-License-Identifier: GPL-3.0-or-later
// What a data set may have at most, for those who ask for one.
#pragma once

#include <cstdint>

namespace trainscope {

// "random" has from 2 to so many classes.
inline constexpr std::int64_t most_random_classes = 1 << 16;
// Pixels: of pictures in every kind of file.
inline constexpr std::int64_t largest_image_side = 1 << 14;

}  // namespace trainscope
