// SPDX-License-Identifier: GPL-3.0-or-later
// How text stands in a CSV file.
#pragma once

#include <string>
#include <string_view>

namespace trainscope {

// Text as a field of a CSV line: in quotes, its own doubled, where RFC 4180 asks for it.
std::string csv_field(std::string_view text);

}  // namespace trainscope
