// SPDX-License-Identifier: GPL-3.0-or-later
// "Did you mean": the known name nearest to a mistyped one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace trainscope {

// The one of `known` that is at most a third of its letters away from `name`, by letters missing,
// added, wrong or swapped with their neighbour; case does not count.
std::optional<std::string_view> nearest_name(std::string_view name,
                                             std::span<const std::string_view> known);

// "; did you mean 'relu'?" when there is a nearest name, else "".
std::string near_name_hint(std::string_view name, std::span<const std::string_view> known);

// How a sentence about an unknown name ends: "; did you mean 'relu'? (known: conv2d, relu)", or
// " (known: conv2d, relu)" when none is near.
std::string known_names_hint(std::string_view name, std::span<const std::string_view> known);

}  // namespace trainscope
