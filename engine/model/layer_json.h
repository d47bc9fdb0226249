// SPDX-License-Identifier: GPL-3.0-or-later
// Layers from and to JSON: one table that the reader, the writer and the messages share.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "engine/model/model_spec.h"

namespace trainscope {

// `place` opens messages: "model.json: layer 3".
Result<LayerSpec> layer_from_json(const nlohmann::json& json, const std::string& place);
nlohmann::ordered_json layer_to_json(const LayerSpec& layer);
// As "type" in JSON: "conv2d".
std::string_view type_of(const LayerSpec& layer);

}  // namespace trainscope
