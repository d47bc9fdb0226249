// SPDX-License-Identifier: GPL-3.0-or-later
// Units of sizes as people type them.
#pragma once

#include <optional>
#include <string_view>

namespace trainscope {

// "KiB" and "K" are 1024 bytes, "kB" 1000; likewise M, G, T; "B" is one. nullopt: no unit.
std::optional<double> bytes_of_unit(std::string_view unit);

}  // namespace trainscope
