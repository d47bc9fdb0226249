// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as text in files: never localised, and they read back to the same bits.
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

namespace trainscope {

// Appends the shortest text that std::from_chars reads back to `value`: "0.1", "1e-07", "nan",
// "-inf". Whole numbers stay whole ("100000", where the shortest would be "1e+05").
inline void append_number(std::string& text, double value) {
    constexpr double exact_integers = 9007199254740992.0;  // 2^53
    char digits[32];
    std::to_chars_result end{};
    if (std::abs(value) < exact_integers && value == std::trunc(value) &&
        !(value == 0 && std::signbit(value))) {
        end = std::to_chars(digits, digits + sizeof digits, static_cast<long long>(value));
    } else {
        end = std::to_chars(digits, digits + sizeof digits, value);
    }
    text.append(digits, end.ptr);
}

}  // namespace trainscope
