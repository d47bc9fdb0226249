// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/printable.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace trainscope {

namespace {

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 0;  // 0: the text does not begin with one
};

// The first character of a text that is not empty, by the table of RFC 3629: no code longer than it
// must be, no surrogates, none past U+10FFFF.
Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::uint32_t lead = byte(0);
    if (lead < 0x80) {
        return {lead, 1};
    }
    const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) {
        return {};
    }
    std::uint32_t code = lead & (0x7FU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xC0U) != 0x80) {
            return {};
        }
        code = code << 6U | (byte(i) & 0x3FU);
    }
    constexpr std::array<std::uint32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < least[bytes] || surrogate || code > 0x10FFFF) {
        return {};
    }
    return {code, bytes};
}

bool turns_text(std::uint32_t code) {  // or breaks lines
    return code == 0x061C || (code >= 0x200E && code <= 0x200F) ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

std::string shown(const Character& character, std::string_view text) {
    switch (character.code) {
        case '\n':
            return "\\n";
        case '\r':
            return "\\r";
        case '\t':
            return "\\t";
        default:
            break;
    }
    if (character.code < 0x20 || character.code == 0x7F) {
        return fmt::format("\\x{:02x}", character.code);
    }
    if ((character.code >= 0x80 && character.code < 0xA0) || turns_text(character.code)) {
        return fmt::format("\\u{:04x}", character.code);
    }
    return std::string(text.substr(0, character.bytes));
}

}  // namespace

std::string printable(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const Character character = first_character(text);
        if (character.bytes == 0) {
            result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
            text.remove_prefix(1);
        } else {
            result += shown(character, text);
            text.remove_prefix(character.bytes);
        }
    }
    return result;
}

}  // namespace trainscope
