// SPDX-License-Identifier: GPL-3.0-or-later
// The files of resources/presets, as they were when this was built.
#pragma once

#include <string_view>
#include <vector>

namespace trainscope {

struct EmbeddedPreset {
    std::string_view file;  // "simple-cnn.json"
    std::string_view json;
};

const std::vector<EmbeddedPreset>& embedded_presets();

}  // namespace trainscope
