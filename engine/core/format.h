// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers in words, never localised.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace trainscope {

// For messages and the command line, not for files.
std::string format_bytes(std::int64_t bytes);  // "1.5 MiB"
// Two sizes that a sentence compares: to the byte where they differ and would read the same, such
// as "1,572,900 B" and "1,572,864 B".
std::pair<std::string, std::string> format_bytes_apart(std::int64_t a, std::int64_t b);
std::string format_count(std::int64_t count);  // "31,530"
std::string format_duration(double seconds);   // "1:02:03", "4.2 s"

// How many decimals show three digits that count: "1.23", "12.3", "123"; "10.0" of 9.996.
int decimals_of_three_digits(double value);
std::string format_three_digits(double value);

// A float as a person wrote it: the shortest decimal that reads back to it ("0.05", "1e-07"), and
// that decimal as a double, where the float itself widens to 0.05000000074505806.
std::string format_float(float value);
double as_written(float value);

}  // namespace trainscope
