// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/command_line/say.h"
#include "app/command_line/settings.h"
#include "app/command_line/table.h"
#include "engine/core/device_backend.h"
#include "engine/core/format.h"
#include "engine/model/graph.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope::command_line {

namespace {

// Only its shape matters here, so that generated data is kept small.
Result<std::shared_ptr<const Dataset>> open_for_shape(const Arguments& arguments) {
    const Result<ui::RunSettings> run = settle(arguments);
    if (!run) {
        return make_error(run.error());
    }
    DatasetOptions options = run->dataset;
    for (const DatasetKind& kind : dataset_kinds()) {
        if (kind.name == options.name && !kind.needs_folder) {
            options.train_count = 16;
            options.test_count = 16;
        }
    }
    return open_dataset(options);
}

int show_model(const Arguments& arguments) {
    const Result<ModelSpec> model = find_model(arguments.model);
    if (!model) {
        return say_failure(model.error());
    }
    const auto dataset = open_for_shape(arguments);
    if (!dataset) {
        return say_failure(dataset.error());
    }
    const Result<Graph> graph = build_graph(*model, (*dataset)->sample, (*dataset)->classes);
    if (!graph) {
        return say_failure(graph.error());
    }
    const std::string text = summary_text(*graph);
    say("{}{}", text, text.ends_with('\n') ? "" : "\n");
    return exit_ok;
}

void add_variants(DeviceKind kind, std::vector<TableRow>& rows) {
    for (const VariantInfo& info : list_variants(kind)) {
        rows.push_back({std::string(name_of(kind)), info.op, info.name,
                        info.description + (info.trainable ? "" : " (teaching only)")});
    }
}

int show_dataset(const Arguments& arguments) {
    const Result<ui::RunSettings> run = settle(arguments);
    if (!run) {
        return say_failure(run.error());
    }
    const auto opened = open_dataset(run->dataset);
    if (!opened) {
        return say_failure(opened.error());
    }
    const Dataset& data = **opened;
    print_table({{"name", data.name},
                 {"source", data.source},
                 {"sample", data.sample.to_string()},
                 {"train samples", format_count(data.train.count)},
                 {"test samples", format_count(data.test.count)},
                 {"classes", format_count(data.classes)},
                 {"class names", fmt::format("{}", fmt::join(data.class_names, ", "))}});
    return exit_ok;
}

}  // namespace

int list_datasets(const Arguments& arguments) {
    if (arguments.dataset_given) {
        return show_dataset(arguments);
    }
    std::vector<TableRow> rows;
    for (const DatasetKind& kind : dataset_kinds()) {
        rows.push_back({kind.name, kind.needs_folder ? "needs --data-dir" : "needs no files",
                        kind.title + ": " + kind.description});
    }
    print_table(rows);
    return exit_ok;
}

int list_models(const Arguments& arguments) {
    if (!arguments.model.empty()) {
        return show_model(arguments);
    }
    std::vector<TableRow> rows;
    for (const ModelSpec& preset : model_presets()) {
        rows.push_back({preset.name, fmt::format("{} layers", preset.layers.size()),
                        fmt::format("{}, learning rate {}", name_of(preset.optimizer.kind),
                                    preset.optimizer.learning_rate),
                        preset.description});
    }
    print_table(rows);
    return exit_ok;
}

int list_devices_of_machine() {
    std::vector<TableRow> rows;
    for (const DeviceInfo& device : list_devices()) {
        rows.push_back({device.id, device.description, format_bytes(device.memory_bytes)});
    }
    for (const MissingDevice& missing : missing_devices()) {
        rows.push_back({std::string(name_of(missing.kind)), missing.reason});
    }
    print_table(rows);
    return exit_ok;
}

int list_kernel_variants() {
    std::vector<TableRow> rows;
    for (const DeviceKind kind : all_device_kinds) {
        add_variants(kind, rows);
    }
    print_table(rows);
    return exit_ok;
}

}  // namespace trainscope::command_line
