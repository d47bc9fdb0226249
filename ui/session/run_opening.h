// SPDX-License-Identifier: GPL-3.0-or-later
// From settings to a graph, and from settings to a running trainer. For a worker's thread: both may
// read files and take a while.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "engine/core/result.h"
#include "engine/data/dataset.h"
#include "engine/model/graph.h"
#include "engine/record/log_export.h"
#include "engine/train/trainer.h"
#include "ui/run_settings.h"

namespace trainscope::ui {

// A data set that is in memory, and what it was opened from.
struct OpenedDataset {
    DatasetOptions options;
    std::shared_ptr<const Dataset> data;  // nullptr: none
};

struct OpenedRun {
    OpenedDataset dataset;
    std::shared_ptr<Trainer> trainer;
    RunDescription description;
};

struct GraphPreview {
    OpenedDataset dataset;               // empty where it was not opened
    std::shared_ptr<const Graph> graph;  // nullptr where the shape of the data is not known
    bool softTargets = false;
};

// Opens the data set, or takes `atHand` where it is the same.
Result<OpenedDataset> openDataset(const DatasetOptions& options, const OpenedDataset& atHand,
                                  const std::stop_token& stop);

// Errors: those of makeConfig, open_dataset and Trainer::create.
Result<OpenedRun> openRun(const RunSettings& settings, bool paused, const OpenedDataset& atHand,
                          const std::stop_token& stop);

// The graph of a run that was not started. Image folders may be large: they are opened only where
// `mayOpen` says so. Errors: those of find_model, open_dataset and build_graph.
Result<GraphPreview> previewGraph(const RunSettings& settings, bool mayOpen,
                                  const OpenedDataset& atHand, const std::stop_token& stop);

}  // namespace trainscope::ui
