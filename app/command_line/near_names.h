// SPDX-License-Identifier: GPL-3.0-or-later
// Names that a mistyped one may have meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::command_line {

// The name with the fewest typing mistakes (Damerau's: insert, drop, change, swap) between it and
// `typed`; nullopt when every name is too far to be what was meant.
std::optional<std::string> nearest_name(std::string_view typed,
                                        const std::vector<std::string>& names);

// "there is no model 'simple-cn'; did you mean 'simple-cnn'? Known: ..."
std::string unknown_name(std::string_view what, std::string_view typed,
                         const std::vector<std::string>& names);

}  // namespace trainscope::command_line
