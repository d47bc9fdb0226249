// SPDX-License-Identifier: GPL-3.0-or-later
// The knob that has a device record what a step does and replay it (CUDA graphs). It is listed and
// chosen like the variants of an operator, but there is no kernel behind it.
#pragma once

#include <string_view>

namespace trainscope {

struct StepGraph {
    static constexpr std::string_view name = "graph";
    static constexpr std::string_view on = "on";
    static constexpr std::string_view off = "off";
};

}  // namespace trainscope
