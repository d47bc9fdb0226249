// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/parameter_table.h"

#include <algorithm>

namespace trainscope {

ParameterTable::ParameterTable(const Graph& graph) {
    std::int64_t running_count = 0;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        first_of_node_.push_back(places_.size());
        for (const ParameterSpec& spec : graph.nodes[node].parameters) {
            std::int64_t& end = spec.trainable ? trainable_count_ : running_count;
            const std::int64_t count = spec.shape.elements();
            places_.push_back({.spec = &spec, .node = node, .offset = end, .count = count});
            end += count;
        }
    }
}

const ParameterPlace* ParameterTable::of_node(std::size_t node, std::size_t index) const {
    const std::size_t place = first_of_node_[node] + index;
    return place < places_.size() && places_[place].node == node ? &places_[place] : nullptr;
}

const ParameterPlace* ParameterTable::find(std::string_view name) const {
    const auto found = std::find_if(places_.begin(), places_.end(),
                                    [&](const auto& place) { return place.spec->name == name; });
    return found == places_.end() ? nullptr : &*found;
}

}  // namespace trainscope
