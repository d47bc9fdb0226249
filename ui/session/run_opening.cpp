// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/run_opening.h"

#include <algorithm>
#include <utility>

#include "ui/session/guarded.h"

namespace trainscope::ui {

Result<OpenedDataset> openDataset(const DatasetOptions& options, const OpenedDataset& atHand,
                                  const std::stop_token& stop) {
    if (atHand.data && sameDataset(atHand.options, options)) {
        return atHand;
    }
    OpenedDataset opened{.options = options, .data = nullptr};
    opened.options.stop = stop;
    auto data = open_dataset(opened.options);
    if (!data) {
        return make_error(std::move(data.error()));
    }
    opened.data = std::move(*data);
    opened.options.stop = {};
    return opened;
}

namespace {

Result<OpenedRun> openAll(const RunSettings& settings, bool paused, const OpenedDataset& atHand,
                          const std::stop_token& stop) {
    auto config = makeConfig(settings);
    if (!config) {
        return make_error(std::move(config.error()));
    }
    config->start_paused = paused;
    auto dataset = openDataset(settings.dataset, atHand, stop);
    if (!dataset) {
        return make_error(std::move(dataset.error()));
    }
    const auto stopped = [] {
        return make_error(ErrorCode::cancelled, "Stopped before the training began.");
    };
    if (stop.stop_requested()) {
        return stopped();
    }
    OpenedRun run{.dataset = std::move(*dataset), .trainer = nullptr, .description = {}};
    auto trainer = Trainer::create(std::move(*config), run.dataset.data);
    if (!trainer) {
        return make_error(std::move(trainer.error()));
    }
    run.trainer = std::move(*trainer);
    if (stop.stop_requested()) {  // while memory was taken
        return stopped();
    }
    run.description = describe_run(run.trainer->config(), run.trainer->dataset());
    return run;
}

}  // namespace

Result<OpenedRun> openRun(const RunSettings& settings, bool paused, const OpenedDataset& atHand,
                          const std::stop_token& stop) {
    return guarded("opened the data set and the model",
                   [&] { return openAll(settings, paused, atHand, stop); });
}

namespace {

bool hasManyFiles(const std::string& name) {
    const std::vector<DatasetKind>& kinds = dataset_kinds();
    return std::any_of(kinds.begin(), kinds.end(), [&](const DatasetKind& kind) {
        return kind.name == name && kind.many_files;
    });
}

Result<GraphPreview> findGraph(const RunSettings& settings, bool mayOpen,
                               const OpenedDataset& atHand, const std::stop_token& stop) {
    const auto model = find_model(settings.model);
    if (!model) {
        return make_error(model.error());
    }
    GraphPreview preview;
    std::optional<DatasetShape> shape = known_shape(settings.dataset);
    if (!shape) {
        const bool open = mayOpen || !hasManyFiles(settings.dataset.name) ||
                          (atHand.data && sameDataset(atHand.options, settings.dataset));
        if (!open || settings.dataset.folder.empty()) {
            return preview;
        }
        auto dataset = openDataset(settings.dataset, atHand, stop);
        if (!dataset) {
            return make_error(std::move(dataset.error()));
        }
        const Dataset& data = *dataset->data;
        shape = DatasetShape{data.sample, data.classes, data.soft_targets()};
        preview.dataset = std::move(*dataset);
    }
    auto graph = build_graph(*model, shape->sample, shape->classes);
    if (!graph) {
        return make_error(std::move(graph.error()));
    }
    preview.graph = std::make_shared<const Graph>(std::move(*graph));
    preview.softTargets = shape->soft_targets;
    return preview;
}

}  // namespace

Result<GraphPreview> previewGraph(const RunSettings& settings, bool mayOpen,
                                  const OpenedDataset& atHand, const std::stop_token& stop) {
    return guarded("looked at the model and the data",
                   [&] { return findGraph(settings, mayOpen, atHand, stop); });
}

}  // namespace trainscope::ui
