// SPDX-License-Identifier: GPL-3.0-or-later
// A model as a list of layers, as it is written in JSON. The input's shape and the number of
// classes come from the data set.
//
//   { "name": "simple-cnn",
//     "layers": [ {"type": "conv2d", "filters": 16, "kernel": 3, "padding": "same"},
//                 {"type": "relu"}, {"type": "max_pool", "kernel": 2}, {"type": "flatten"},
//                 {"type": "dense", "units": "classes"}, {"type": "softmax_cross_entropy"} ],
//     "optimizer": {"kind": "momentum", "learning_rate": 0.05} }
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/core/result.h"
#include "engine/ops/optimizer.h"

namespace trainscope {

enum class Initializer : std::uint8_t {
    kaiming_normal,  // He et al. 2015: N(0, 2 / fan_in)
    glorot_uniform,  // Glorot and Bengio 2010: U(+-sqrt(6 / (fan_in + fan_out)))
};

struct Conv2dSpec {
    std::int64_t filters = 1;
    std::int64_t kernel_h = 3, kernel_w = 3;
    std::int64_t stride_h = 1, stride_w = 1;
    bool same_padding = false;  // pads (kernel - 1) / 2; kernels must be odd and stride 1
    std::int64_t pad_h = 0, pad_w = 0;
    std::int64_t groups = 1;
    bool bias = true;
    Initializer initializer = Initializer::kaiming_normal;
};
struct BatchNormSpec {
    float eps = 1e-5F;
    float momentum = 0.1F;
};
struct ReluSpec {};
struct MaxPoolSpec {
    std::int64_t kernel_h = 2, kernel_w = 2;
    std::int64_t stride_h = 2, stride_w = 2;
    std::int64_t pad_h = 0, pad_w = 0;
};
struct FlattenSpec {};
struct DenseSpec {
    std::optional<std::int64_t> units;  // nullopt: as many as the data set has classes
    bool bias = true;
    Initializer initializer = Initializer::glorot_uniform;
};
struct SoftmaxCrossEntropySpec {};

using LayerSpec = std::variant<Conv2dSpec, BatchNormSpec, ReluSpec, MaxPoolSpec, FlattenSpec,
                               DenseSpec, SoftmaxCrossEntropySpec>;

struct ModelSpec {
    std::string name;
    std::string description;
    std::string source = {};        // the file it was read from, named in messages; may be empty
    std::vector<LayerSpec> layers;  // ends with SoftmaxCrossEntropySpec
    OptimizerSettings optimizer;    // what the model is usually trained with
};

// Errors name the layer (its number from 1 and its type), the field, what was expected and found.
// Unknown layers and unknown fields are errors. `source` names the file in messages.
Result<ModelSpec> parse_model(std::string_view json, std::string_view source);
Result<ModelSpec> load_model(const std::filesystem::path& file);
// The JSON that parse_model reads back to the same spec.
std::string to_json(const ModelSpec& spec);

// The built-in models: simple-cnn, keras-cnn, bn-cnn, vgg-small.
const std::vector<ModelSpec>& model_presets();
// A preset by name, or a JSON file by path. Error not_found lists the presets.
Result<ModelSpec> find_model(const std::string& name_or_file);

}  // namespace trainscope
