// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/layer_json.h"

#include <fmt/ranges.h>

#include <array>

#include "engine/core/format.h"
#include "engine/core/near_name.h"
#include "engine/core/shape.h"
#include "engine/model/json_fields.h"

namespace trainscope {

namespace {

constexpr std::int64_t largest_window = 1024;

// In the order of LayerSpec's alternatives.
constexpr std::array<std::string_view, std::variant_size_v<LayerSpec>> layer_types = {
    "conv2d", "batch_norm", "relu", "max_pool", "flatten", "dense", "softmax_cross_entropy"};

const std::vector<std::string_view> initializers = {"kaiming_normal", "glorot_uniform"};

Initializer read_initializer(JsonFields& fields, Initializer fallback) {
    return static_cast<Initializer>(
        fields.choice("initializer", initializers, static_cast<std::size_t>(fallback)));
}

void read_padding(JsonFields& fields, Conv2dSpec& spec) {
    const nlohmann::json* padding = fields.raw("padding");
    spec.same_padding = padding != nullptr && *padding == "same";
    if (padding == nullptr || *padding != "valid") {
        if (!spec.same_padding) {
            std::tie(spec.pad_h, spec.pad_w) =
                fields.pair("padding", 0, largest_window, 0, R"("same", "valid" or )");
        }
    }
    if (spec.same_padding && (spec.kernel_h % 2 == 0 || spec.kernel_w % 2 == 0)) {
        fields.fail("kernel", R"(odd where padding is "same")", *fields.raw("kernel"));
    }
    if (spec.same_padding && (spec.stride_h != 1 || spec.stride_w != 1)) {
        fields.fail("stride", R"(1 where padding is "same")", *fields.raw("stride"));
    }
}

LayerSpec read_conv2d(JsonFields& fields) {
    Conv2dSpec spec;
    spec.filters = fields.integer("filters", 1, largest_dimension, std::nullopt);
    std::tie(spec.kernel_h, spec.kernel_w) = fields.pair("kernel", 1, largest_window, 3);
    std::tie(spec.stride_h, spec.stride_w) = fields.pair("stride", 1, largest_window, 1);
    read_padding(fields, spec);
    spec.groups = fields.integer("groups", 1, largest_dimension, 1);
    spec.bias = fields.boolean("bias", true);
    spec.initializer = read_initializer(fields, Initializer::kaiming_normal);
    return spec;
}

LayerSpec read_batch_norm(JsonFields& fields) {
    BatchNormSpec spec;
    spec.eps = fields.number("eps", 1e-12, 1.0, spec.eps);
    spec.momentum = fields.number("momentum", 0.0, 1.0, spec.momentum);
    return spec;
}

LayerSpec read_max_pool(JsonFields& fields) {
    MaxPoolSpec spec;
    std::tie(spec.kernel_h, spec.kernel_w) = fields.pair("kernel", 1, largest_window, 2);
    spec.stride_h = spec.kernel_h;
    spec.stride_w = spec.kernel_w;
    if (fields.raw("stride") != nullptr) {
        std::tie(spec.stride_h, spec.stride_w) = fields.pair("stride", 1, largest_window, 1);
    }
    std::tie(spec.pad_h, spec.pad_w) = fields.pair("padding", 0, largest_window, 0);
    return spec;
}

LayerSpec read_dense(JsonFields& fields) {
    DenseSpec spec;
    const nlohmann::json* units = fields.raw("units");
    if (units == nullptr || *units != "classes") {
        spec.units =
            fields.integer("units", 1, largest_dimension, std::nullopt, R"("classes" or )");
    }
    spec.bias = fields.boolean("bias", true);
    spec.initializer = read_initializer(fields, Initializer::glorot_uniform);
    return spec;
}

LayerSpec read_layer(std::size_t type, JsonFields& fields) {
    switch (type) {
        case 0:
            return read_conv2d(fields);
        case 1:
            return read_batch_norm(fields);
        case 2:
            return ReluSpec{};
        case 3:
            return read_max_pool(fields);
        case 4:
            return FlattenSpec{};
        case 5:
            return read_dense(fields);
        default:
            return SoftmaxCrossEntropySpec{};
    }
}

nlohmann::ordered_json pair_to_json(std::int64_t h, std::int64_t w) {
    return h == w ? nlohmann::ordered_json(h) : nlohmann::ordered_json::array({h, w});
}

struct Writer {
    nlohmann::ordered_json& json;

    void initializer(Initializer value) const {
        json["initializer"] = initializers[static_cast<std::size_t>(value)];
    }
    void operator()(const Conv2dSpec& spec) const {
        json["filters"] = spec.filters;
        json["kernel"] = pair_to_json(spec.kernel_h, spec.kernel_w);
        json["stride"] = pair_to_json(spec.stride_h, spec.stride_w);
        json["padding"] = spec.same_padding ? nlohmann::ordered_json("same")
                                            : pair_to_json(spec.pad_h, spec.pad_w);
        json["groups"] = spec.groups;
        json["bias"] = spec.bias;
        initializer(spec.initializer);
    }
    void operator()(const BatchNormSpec& spec) const {
        json["eps"] = as_written(spec.eps);
        json["momentum"] = as_written(spec.momentum);
    }
    void operator()(const MaxPoolSpec& spec) const {
        json["kernel"] = pair_to_json(spec.kernel_h, spec.kernel_w);
        json["stride"] = pair_to_json(spec.stride_h, spec.stride_w);
        json["padding"] = pair_to_json(spec.pad_h, spec.pad_w);
    }
    void operator()(const DenseSpec& spec) const {
        json["units"] =
            spec.units ? nlohmann::ordered_json(*spec.units) : nlohmann::ordered_json("classes");
        json["bias"] = spec.bias;
        initializer(spec.initializer);
    }
    void operator()(const ReluSpec&) const {}
    void operator()(const FlattenSpec&) const {}
    void operator()(const SoftmaxCrossEntropySpec&) const {}
};

}  // namespace

std::string_view type_of(const LayerSpec& layer) {
    return layer_types[layer.index()];
}

Result<LayerSpec> layer_from_json(const nlohmann::json& json, const std::string& place) {
    if (!json.is_object()) {
        return make_error(ErrorCode::bad_file, "{} must be an object with a type, not {}.", place,
                          shown(json));
    }
    const auto found = json.find("type");
    if (found == json.end()) {
        return make_error(ErrorCode::bad_file, "{} has no type (known: {}).", place,
                          fmt::join(layer_types, ", "));
    }
    if (!found->is_string()) {
        return make_error(ErrorCode::bad_file, "{}: type must be one of {}, not {}.", place,
                          fmt::join(layer_types, ", "), shown(*found));
    }
    const std::string& name = found->get_ref<const std::string&>();
    for (std::size_t type = 0; type < layer_types.size(); ++type) {
        if (layer_types[type] == name) {
            JsonFields fields(json, fmt::format("{} ({})", place, name));
            fields.raw("type");
            LayerSpec layer = read_layer(type, fields);
            if (Result<void> checked = fields.finish(); !checked) {
                return make_error(std::move(checked.error()));
            }
            return layer;
        }
    }
    return make_error(ErrorCode::bad_file, "{}: there is no layer type {}{}.", place, shown(*found),
                      known_names_hint(name, layer_types));
}

nlohmann::ordered_json layer_to_json(const LayerSpec& layer) {
    nlohmann::ordered_json json;
    json["type"] = type_of(layer);
    std::visit(Writer{json}, layer);
    return json;
}

}  // namespace trainscope
