// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/settings.h"

#include <algorithm>

#include "engine/model/model_spec.h"

namespace trainscope::command_line {

namespace {

OptimizerSettings usual_settings(OptimizerKind kind) {
    OptimizerSettings settings;
    settings.kind = kind;
    settings.learning_rate = state_slots(kind) == 2 ? 0.001F : 0.05F;
    return settings;
}

}  // namespace

Result<ui::RunSettings> settle(const Arguments& arguments, const ui::RunSettings& base) {
    ui::RunSettings run = arguments.over(base);
    for (const DatasetKind& kind : dataset_kinds()) {
        if (kind.name != run.dataset.name) {
            continue;
        }
        if (kind.needs_folder && run.dataset.folder.empty()) {
            return make_error(ErrorCode::invalid_argument,
                              "the data set '{}' reads files: say where with --data-dir.",
                              kind.name);
        }
        if (!kind.needs_folder && !arguments.over({}).dataset.folder.empty()) {
            return make_error(ErrorCode::invalid_argument,
                              "--data-dir: the data set '{}' reads no files; name one that does "
                              "with --dataset.",
                              kind.name);
        }
    }
    const Result<ModelSpec> model = find_model(run.model);
    if (!model) {
        return make_error(model.error());
    }
    OptimizerSettings optimizer = model->optimizer;
    if (arguments.optimizer_given && run.optimizer.kind != optimizer.kind) {
        optimizer = usual_settings(run.optimizer.kind);
    }
    if (arguments.learning_rate_given) {
        optimizer.learning_rate = run.optimizer.learning_rate;
    }
    run.optimizer = optimizer;
    return run;
}

}  // namespace trainscope::command_line
