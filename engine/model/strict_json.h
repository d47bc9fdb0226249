// SPDX-License-Identifier: GPL-3.0-or-later
// A model's text as JSON, read as coming from outside: bounded nesting, no field twice, no
// exceptions.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/core/result.h"

namespace trainscope {

// Errors name `source`, and the line and column or the layer.
Result<nlohmann::json> parse_strict_json(std::string_view text, std::string_view source);

}  // namespace trainscope
