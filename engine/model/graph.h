// SPDX-License-Identifier: GPL-3.0-or-later
// A model with shapes: what each layer takes, gives, learns and costs for one sample.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/core/shape.h"
#include "engine/model/model_spec.h"

namespace trainscope {

enum class ParameterInit : std::uint8_t { kaiming_normal, glorot_uniform, zeros, ones };

struct ParameterSpec {
    std::string name;  // "conv1.weight", "bn1.gamma", "fc1.bias"
    Shape shape;
    ParameterInit init = ParameterInit::zeros;
    std::int64_t fan_in = 1, fan_out = 1;
    bool trainable = true;  // false: batch norm's running_mean and running_var
};

struct Node {
    std::string name;  // "conv1", "bn1", "relu1", "pool1", "flatten1", "fc1", "loss"
    std::string type;  // as in JSON: "conv2d"
    LayerSpec spec;
    Shape input;   // of one sample: [C, H, W] or [features]
    Shape output;  // of one sample
    std::vector<ParameterSpec> parameters;
    std::int64_t macs = 0;  // multiply-accumulates of one sample's forward pass
};

struct Graph {
    std::string name;
    Shape input;  // [C, H, W] of one sample
    std::int64_t classes = 0;
    std::vector<Node> nodes;  // in order; the last is the loss

    std::int64_t parameter_count() const;  // trainable ones
    std::int64_t macs() const;
};

// Infers shapes. Errors name the layer and say what does not fit ("layer 3 (max_pool): a window of
// 4x4 is larger than its input of 2x2"). Limits: every dimension <= 2^20, parameters <= 2^31,
// multiply-accumulates of a sample <= 2^44, so that no size computed from a graph overflows.
Result<Graph> build_graph(const ModelSpec& spec, const Shape& input, std::int64_t classes);

struct SummaryRow {
    std::string layer;   // "conv1 (conv2d)"
    std::string output;  // "[N, 16, 28, 28]"
    std::int64_t parameters = 0;
    std::int64_t macs = 0;
};
std::vector<SummaryRow> summarize(const Graph& graph);
// The summary as a text table with totals, as Keras and torchinfo print it.
std::string summary_text(const Graph& graph);

}  // namespace trainscope
