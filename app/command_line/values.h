// SPDX-License-Identifier: GPL-3.0-or-later
// Values as they are typed on a command line. Each reader gives the value, or what was expected.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "engine/core/result.h"
#include "engine/core/shape.h"

namespace trainscope::command_line {

// Errors read on from the option's name: "expected a whole number from 1 to 1024, found '0'".
Result<std::int64_t> read_whole(std::string_view text, std::int64_t least, std::int64_t most);
// Above 0 and neither 0 nor infinite as the float32 it is kept in.
Result<float> read_positive(std::string_view text);
Result<std::int64_t> read_bytes(std::string_view text);  // "8GiB", "512 MB", "1048576"
Result<Shape> read_sample_shape(std::string_view text);  // "3x32x32"
Result<std::pair<int, int>> read_picture_size(std::string_view text);                // "1200x500"
Result<std::pair<std::string, std::string>> read_assignment(std::string_view text);  // "op=name"

}  // namespace trainscope::command_line
