// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/fusion.h"

#include <algorithm>

namespace trainscope {

bool can_stand_at(const FusedOperator& fused, const Graph& graph, std::size_t first) {
    const std::size_t left = graph.nodes.size() - std::min(first, graph.nodes.size());
    return left >= fused.parts.size() &&
           std::equal(
               fused.parts.begin(), fused.parts.end(),
               graph.nodes.begin() + static_cast<std::ptrdiff_t>(first),
               [](std::string_view part, const Node& node) { return part == operator_of(node); });
}

}  // namespace trainscope
