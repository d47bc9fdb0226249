// SPDX-License-Identifier: GPL-3.0-or-later
// "Did you mean": the known name nearest to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trainscope {

// "; did you mean 'relu'?" when one of `known` is a few letters away from `name`, else "".
std::string near_name_hint(std::string_view name, std::span<const std::string_view> known);

}  // namespace trainscope
