// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/graph.h"

namespace trainscope {

std::int64_t Graph::parameter_count() const {
    std::int64_t count = 0;
    for (const Node& node : nodes) {
        for (const ParameterSpec& parameter : node.parameters) {
            count += parameter.trainable ? parameter.shape.elements() : 0;
        }
    }
    return count;
}

std::int64_t Graph::macs() const {
    std::int64_t sum = 0;
    for (const Node& node : nodes) {
        sum += node.macs;
    }
    return sum;
}

}  // namespace trainscope
