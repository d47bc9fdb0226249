// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers in words for messages and the command line (never for files, never localised).
#pragma once

#include <cstdint>
#include <string>

namespace trainscope {

std::string format_bytes(std::int64_t bytes);  // "1.5 MiB"
std::string format_count(std::int64_t count);  // "31,530"
std::string format_duration(double seconds);   // "1:02:03", "4.2 s"

}  // namespace trainscope
