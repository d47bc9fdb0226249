// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace trainscope {

std::string format_bytes(std::int64_t bytes) {
    constexpr std::array<const char*, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (std::abs(value) >= 1024.0 && unit + 1 < units.size()) {
        value /= 1024.0;
        ++unit;
    }
    return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

std::pair<std::string, std::string> format_bytes_apart(std::int64_t a, std::int64_t b) {
    std::pair<std::string, std::string> texts = {format_bytes(a), format_bytes(b)};
    if (a != b && texts.first == texts.second) {
        texts = {format_count(a) + " B", format_count(b) + " B"};
    }
    return texts;
}

std::string format_count(std::int64_t count) {
    std::string digits = fmt::format("{}", count);
    const std::size_t first = digits[0] == '-' ? 1 : 0;
    for (std::size_t i = digits.size(); i > first + 3;) {
        i -= 3;
        digits.insert(i, ",");
    }
    return digits;
}

std::string format_duration(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0) {
        return "unknown";
    }
    if (seconds < 59.95) {  // what rounds to 60.0 s is a minute
        return fmt::format("{:.1f} s", seconds);
    }
    const auto whole = static_cast<std::int64_t>(std::llround(seconds));
    const std::int64_t hours = whole / 3600;
    const std::int64_t minutes = whole / 60 % 60;
    return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60)
                     : fmt::format("{}:{:02}", minutes, whole % 60);
}

int decimals_of_three_digits(double value) {
    const double size = std::abs(value);
    if (!std::isfinite(size)) {
        return 0;
    }
    const int before = size >= 1 ? static_cast<int>(std::floor(std::log10(size))) : 0;
    const int after = std::max(0, 2 - before);
    const bool grows = after > 0 && std::round(size * std::pow(10, after)) >= 1000;
    return grows ? after - 1 : after;
}

std::string format_three_digits(double value) {
    return std::isnan(value) ? std::string("nan")
                             : fmt::format("{:.{}f}", value, decimals_of_three_digits(value));
}

std::string format_float(float value) {
    std::array<char, 32> digits{};
    const std::to_chars_result end =
        std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return {digits.data(), end.ptr};
}

double as_written(float value) {
    const std::string text = format_float(value);
    double written = static_cast<double>(value);
    std::from_chars(text.data(), text.data() + text.size(), written);
    return written;
}

}  // namespace trainscope
