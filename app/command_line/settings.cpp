// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "engine/model/model_spec.h"

namespace trainscope::command_line {

namespace {

OptimizerSettings usual_settings(OptimizerKind kind) {
    OptimizerSettings settings;
    settings.kind = kind;
    settings.learning_rate = usual_learning_rate(kind);
    return settings;
}

// The settings with the optimizer that goes with their model.
Result<ui::RunSettings> with_optimizer_of_model(const Arguments& arguments, ui::RunSettings run) {
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

// What was typed for a data set that takes no such option.
Result<void> check_options(const Arguments& arguments, const DatasetKind& kind) {
    ui::RunSettings nothing;
    nothing.dataset.classes = 0;
    const DatasetOptions typed = arguments.over(nothing).dataset;
    const auto useless = [&](const char* option, const char* why) {
        return make_error(ErrorCode::invalid_argument,
                          "{}: the data set '{}' {}; name one that does with --dataset.", option,
                          kind.name, why);
    };
    if (!kind.needs_folder && !typed.folder.empty()) {
        return useless("--data-dir", "reads no files");
    }
    if (!kind.takes_sample && typed.sample.rank() > 0) {
        return useless("--shape", "lets nobody choose the shape of its samples");
    }
    if (!kind.takes_labels && typed.classes > 0) {
        return useless("--classes", "lets nobody choose the number of its classes");
    }
    if (!kind.takes_labels && typed.soft_labels) {
        return useless("--soft-labels", "has no soft labels");
    }
    return {};
}

Result<void> check_dataset(const Arguments& arguments, const ui::RunSettings& run,
                           bool may_need_folder) {
    for (const DatasetKind& kind : dataset_kinds()) {
        if (kind.name != run.dataset.name) {
            continue;
        }
        if (kind.needs_folder && run.dataset.folder.empty() && !may_need_folder) {
            return make_error(ErrorCode::invalid_argument,
                              "the data set '{}' reads files: say where with --data-dir.",
                              kind.name);
        }
        return check_options(arguments, kind);
    }
    return {};
}

// The remembered data folder, unless something else was typed, must still be there.
void replace_missing_folder(const Arguments& arguments, SettledWindow& settled) {
    const DatasetOptions& dataset = settled.run.dataset;
    std::error_code failed;
    if (arguments.dataset_given || dataset.folder.empty() ||
        !arguments.over({}).dataset.folder.empty() ||
        std::filesystem::is_directory(dataset.folder, failed)) {
        return;
    }
    const DatasetOptions usual;
    settled.fallback += fmt::format(
        "{}The folder of {} used last, '{}', is not there any more, so {} was chosen.",
        settled.fallback.empty() ? "" : "\n", dataset.name, dataset.folder.string(), usual.name);
    settled.run.dataset.name = usual.name;
    settled.run.dataset.folder.clear();
}

}  // namespace

Result<ui::RunSettings> settle(const Arguments& arguments) {
    ui::RunSettings run = arguments.over({});
    if (const auto right = check_dataset(arguments, run, false); !right) {
        return make_error(right.error());
    }
    return with_optimizer_of_model(arguments, std::move(run));
}

Result<SettledWindow> settle_window(const Arguments& arguments, ui::RunSettings remembered) {
    SettledWindow settled;
    bool optimizer_of_model = arguments.model_given || arguments.optimizer_given;
    if (const auto model = find_model(remembered.model); !model && !arguments.model_given) {
        remembered.model = ui::RunSettings().model;
        optimizer_of_model = true;
        settled.fallback = fmt::format("The model used last cannot be used, so {} was chosen: {}",
                                       remembered.model, model.error().message);
    }
    settled.run = arguments.over(std::move(remembered));
    replace_missing_folder(arguments, settled);
    // A data set that was remembered without its folder is for the window to complete.
    if (const auto right = check_dataset(arguments, settled.run, !arguments.dataset_given);
        !right) {
        return make_error(right.error());
    }
    if (optimizer_of_model) {
        auto run = with_optimizer_of_model(arguments, std::move(settled.run));
        if (!run) {
            return make_error(run.error());
        }
        settled.run = std::move(*run);
    }
    return settled;
}

}  // namespace trainscope::command_line
