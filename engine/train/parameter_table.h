// SPDX-License-Identifier: GPL-3.0-or-later
// Where each parameter lies in the two blocks that hold them all: the trainable ones in graph
// order, and batch norm's running values in theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/model/graph.h"

namespace trainscope {

struct ParameterPlace {
    const ParameterSpec* spec = nullptr;  // of the graph
    std::size_t node = 0;
    std::int64_t offset = 0;  // floats from the start of its block
    std::int64_t count = 0;
};

// Refers to the graph, which must outlive it.
class ParameterTable {
  public:
    explicit ParameterTable(const Graph& graph);

    const std::vector<ParameterPlace>& places() const { return places_; }
    // The `index`-th parameter of a node, or nullptr when it has no more (a layer without bias).
    const ParameterPlace* of_node(std::size_t node, std::size_t index) const;
    // nullptr when there is none of that name.
    const ParameterPlace* find(std::string_view name) const;
    std::int64_t trainable_count() const { return trainable_count_; }

  private:
    std::vector<ParameterPlace> places_;
    std::vector<std::size_t> first_of_node_;
    std::int64_t trainable_count_ = 0;
};

}  // namespace trainscope
