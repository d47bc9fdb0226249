// SPDX-License-Identifier: GPL-3.0-or-later
// Text that came from outside, such as the name of a file, as a terminal may get it.
#pragma once

#include <string>
#include <string_view>

namespace trainscope {

// UTF-8 as it is, but for what would move the cursor, switch the terminal or turn the direction of
// what follows: "\n", "\t", "\x1b", "\u202e". Bytes that are no UTF-8 become "\xff".
std::string printable(std::string_view text);

}  // namespace trainscope
