// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/core/format.h"
#include "engine/core/printable.h"
#include "engine/model/graph.h"

namespace trainscope {

namespace {

std::string batched(const Shape& shape) {
    std::string text = "[N";
    for (const std::int64_t dim : shape.dims()) {
        text += fmt::format(", {}", dim);
    }
    return text + "]";
}

}  // namespace

std::vector<SummaryRow> summarize(const Graph& graph) {
    std::vector<SummaryRow> rows;
    for (const Node& node : graph.nodes) {
        SummaryRow row{.layer = fmt::format("{} ({})", node.name, node.type),
                       .output = batched(node.output),
                       .macs = node.macs};
        for (const ParameterSpec& parameter : node.parameters) {
            row.parameters += parameter.trainable ? parameter.shape.elements() : 0;
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string summary_text(const Graph& graph) {
    const std::vector<SummaryRow> rows = summarize(graph);
    const std::string parameters = format_count(graph.parameter_count());
    const std::string macs = format_count(graph.macs());
    std::size_t layer_width = 5;
    std::size_t output_width = 12;
    // No row's number is wider than the total's.
    const std::size_t parameters_width = std::max<std::size_t>(12, parameters.size());
    const std::size_t macs_width = std::max<std::size_t>(15, macs.size());
    for (const SummaryRow& row : rows) {
        layer_width = std::max(layer_width, row.layer.size());
        output_width = std::max(output_width, row.output.size());
    }
    const auto line = [&](std::string_view layer, std::string_view output,
                          std::string_view parameter_text, std::string_view mac_text) {
        return fmt::format("{:<{}}  {:<{}}  {:>{}}  {:>{}}\n", layer, layer_width, output,
                           output_width, parameter_text, parameters_width, mac_text, macs_width);
    };
    const std::string rule(layer_width + output_width + parameters_width + macs_width + 6, '-');
    std::string text = fmt::format("{} for {}, {} classes\n{}\n", printable(graph.name),
                                   batched(graph.input), graph.classes, rule);
    text += line("layer", "output", "parameters", "MACs per sample");
    text += rule + "\n";
    for (const SummaryRow& row : rows) {
        text += line(row.layer, row.output, format_count(row.parameters), format_count(row.macs));
    }
    text += rule + "\n";
    text += line("total", "", parameters, macs);
    text +=
        fmt::format("parameters take {} in float32\n", format_bytes(graph.parameter_count() * 4));
    return text;
}

}  // namespace trainscope
