// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/csv_field.h"

namespace trainscope {

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string(text);
    }
    std::string field = "\"";
    for (const char c : text) {
        field.append(c == '"' ? 2 : 1, c);
    }
    return field + '"';
}

}  // namespace trainscope
