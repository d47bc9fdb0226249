// SPDX-License-Identifier: GPL-3.0-or-later
// Models from and to JSON, from text, file or preset.
#include "engine/model/model_spec.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>

#include "engine/core/format.h"
#include "engine/core/near_name.h"
#include "engine/core/open_file.h"
#include "engine/model/embedded_presets.h"
#include "engine/model/json_fields.h"
#include "engine/model/layer_json.h"
#include "engine/model/strict_json.h"

namespace trainscope {

namespace {

constexpr std::size_t largest_file = std::size_t{1} << 20;
constexpr std::size_t most_layers = 1000;
constexpr std::size_t longest_name = 100;

std::vector<std::string_view> optimizer_names() {
    std::vector<std::string_view> names;
    for (const OptimizerKind kind : all_optimizers) {
        names.push_back(name_of(kind));
    }
    return names;
}

Result<OptimizerSettings> read_optimizer(const nlohmann::json& json, const std::string& place) {
    OptimizerSettings settings;
    if (!json.is_object()) {
        return make_error(ErrorCode::bad_file, "{} must be an object, not {}.", place, shown(json));
    }
    JsonFields fields(json, place);
    settings.kind = all_optimizers[fields.choice("kind", optimizer_names(),
                                                 static_cast<std::size_t>(settings.kind))];
    settings.learning_rate = fields.number("learning_rate", 1e-12, 1e6, settings.learning_rate);
    settings.momentum = fields.number("momentum", 0, 1, settings.momentum);
    settings.beta1 = fields.number("beta1", 0, 0.999999, settings.beta1);
    settings.beta2 = fields.number("beta2", 0, 0.999999, settings.beta2);
    settings.eps = fields.number("eps", 0, 1, settings.eps);
    settings.weight_decay = fields.number("weight_decay", 0, 1, settings.weight_decay);
    if (Result<void> checked = fields.finish(); !checked) {
        return make_error(std::move(checked.error()));
    }
    return settings;
}

Result<std::vector<LayerSpec>> read_layers(const nlohmann::json* json, std::string_view source) {
    if (json == nullptr || !json->is_array() || json->empty()) {
        return make_error(ErrorCode::bad_file,
                          "{}: layers must be a list of at least one layer, not {}.", source,
                          json == nullptr ? "missing" : shown(*json));
    }
    if (json->size() > most_layers) {
        return make_error(ErrorCode::bad_file, "{}: {} layers are too many; at most {}.", source,
                          json->size(), most_layers);
    }
    std::vector<LayerSpec> layers;
    for (std::size_t i = 0; i < json->size(); ++i) {
        const std::string place = fmt::format("{}: layer {}", source, i + 1);
        Result<LayerSpec> layer = layer_from_json((*json)[i], place);
        if (!layer) {
            return make_error(std::move(layer.error()));
        }
        const bool is_loss = std::holds_alternative<SoftmaxCrossEntropySpec>(*layer);
        if (is_loss != (i + 1 == json->size())) {
            return make_error(ErrorCode::bad_file,
                              "{} ({}): the loss, softmax_cross_entropy, must be the last layer "
                              "and only that.",
                              place, type_of(*layer));
        }
        layers.push_back(*layer);
    }
    return layers;
}

Result<ModelSpec> parse(std::string_view json_text, std::string_view source,
                        const std::string& name) {
    if (json_text.size() > largest_file) {
        return make_error(ErrorCode::bad_file, "{}: more than {} bytes are too many for a model.",
                          source, largest_file);
    }
    Result<nlohmann::json> json = parse_strict_json(json_text, source);
    if (!json) {
        return make_error(std::move(json.error()));
    }
    if (!json->is_object()) {
        return make_error(ErrorCode::bad_file, "{}: a model must be a JSON object, not {}.", source,
                          shown(*json));
    }
    ModelSpec spec;
    JsonFields fields(*json, std::string(source));
    spec.name = fields.text("name", name, 1, longest_name);
    spec.description = fields.text("description", "", 0, 1000);
    const nlohmann::json* layers_json = fields.raw("layers");
    const nlohmann::json* optimizer_json = fields.raw("optimizer");
    if (Result<void> checked = fields.finish(); !checked) {
        return make_error(std::move(checked.error()));
    }
    Result<std::vector<LayerSpec>> layers = read_layers(layers_json, source);
    if (!layers) {
        return make_error(std::move(layers.error()));
    }
    spec.layers = std::move(*layers);
    if (optimizer_json != nullptr) {
        Result<OptimizerSettings> optimizer =
            read_optimizer(*optimizer_json, fmt::format("{}: optimizer", source));
        if (!optimizer) {
            return make_error(std::move(optimizer.error()));
        }
        spec.optimizer = *optimizer;
    }
    return spec;
}

}  // namespace

Result<ModelSpec> parse_model(std::string_view json_text, std::string_view source) {
    return parse(json_text, source, "unnamed");
}

Result<ModelSpec> load_model(const std::filesystem::path& file) {
    const Result<OpenedFile> opened = open_file(file);
    if (!opened) {
        return make_error(opened.error());
    }
    // One byte more than is allowed, so that parse_model can tell.
    std::string text(largest_file + 1, '\0');
    errno = 0;
    text.resize(std::fread(text.data(), 1, text.size(), opened->stream.get()));
    if (std::ferror(opened->stream.get()) != 0) {
        return make_error(ErrorCode::io, "{}: cannot be read: {}.", file.string(),
                          std::generic_category().message(errno));
    }
    const std::string name = file.filename().string();
    Result<ModelSpec> spec =
        parse(text, file.string(), name.size() <= longest_name ? name : "unnamed");
    if (spec) {
        spec->source = file.string();
    }
    return spec;
}

std::string to_json(const ModelSpec& spec) {
    nlohmann::ordered_json json;
    json["name"] = spec.name;
    json["description"] = spec.description;
    json["layers"] = nlohmann::ordered_json::array();
    for (const LayerSpec& layer : spec.layers) {
        json["layers"].push_back(layer_to_json(layer));
    }
    const OptimizerSettings& optimizer = spec.optimizer;
    json["optimizer"] = {{"kind", name_of(optimizer.kind)},
                         {"learning_rate", as_written(optimizer.learning_rate)},
                         {"momentum", as_written(optimizer.momentum)},
                         {"beta1", as_written(optimizer.beta1)},
                         {"beta2", as_written(optimizer.beta2)},
                         {"eps", as_written(optimizer.eps)},
                         {"weight_decay", as_written(optimizer.weight_decay)}};
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

const std::vector<ModelSpec>& model_presets() {
    static const std::vector<ModelSpec> presets = [] {
        std::vector<ModelSpec> specs;
        for (const EmbeddedPreset& preset : embedded_presets()) {
            // A preset that cannot be read is a programming fault; the tests read them all.
            specs.push_back(parse_model(preset.json, preset.file).value());
        }
        // From small to large, so that the first is a good first choice.
        std::stable_sort(specs.begin(), specs.end(), [](const ModelSpec& a, const ModelSpec& b) {
            const auto rank = [](const ModelSpec& spec) {
                return std::pair(spec.name != "simple-cnn", spec.layers.size());
            };
            return rank(a) < rank(b);
        });
        return specs;
    }();
    return presets;
}

Result<ModelSpec> find_model(const std::string& name_or_file) {
    std::vector<std::string_view> names;
    for (const ModelSpec& preset : model_presets()) {
        if (preset.name == name_or_file) {
            return preset;
        }
        names.push_back(preset.name);
    }
    std::error_code ignored;
    if (std::filesystem::exists(name_or_file, ignored) || name_or_file.ends_with(".json")) {
        return load_model(name_or_file);
    }
    return make_error(ErrorCode::not_found, "There is no model or file '{}'{} (built in: {}).",
                      name_or_file, near_name_hint(name_or_file, names), fmt::join(names, ", "));
}

}  // namespace trainscope
