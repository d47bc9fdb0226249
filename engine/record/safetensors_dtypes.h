// SPDX-License-Identifier: GPL-3.0-or-later
// The data types of safetensors files, for their reader and writer.
#pragma once

#include <cstdint>
#include <string_view>

namespace trainscope::detail {

inline constexpr std::int64_t max_safetensors_header = 100'000'000;

// Bytes of one element, which is also its alignment; 0 for a dtype that the format does not have.
std::int64_t dtype_bytes(std::string_view dtype);

}  // namespace trainscope::detail
