// SPDX-License-Identifier: GPL-3.0-or-later
// The command line as a value: what was asked for, checked as far as it can be without opening
// anything.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ui/export/chart_export.h"
#include "ui/run_settings.h"

namespace trainscope::command_line {

enum class Action { window, train, datasets, models, devices, variants };

// What `trainscope train` takes beyond the settings that the window has too.
struct TrainOptions {
    std::int64_t max_steps = 0;  // 0: no limit
    bool shuffle = true;
    bool quiet = false;
    std::filesystem::path export_folder;      // empty: nothing is exported
    std::vector<std::string> export_formats;  // of export_formats() in export_run.h
    ui::ChartExport chart;                    // size and resolution; the formats are above
};

struct Arguments {
    Action action = Action::window;
    // Each option that was given, to be laid over the settings that hold without it.
    std::vector<std::function<void(ui::RunSettings&)>> changes;
    bool dataset_given = false, model_given = false, epochs_given = false;
    bool optimizer_given = false, learning_rate_given = false;
    bool autostart = false;  // window: --start
    TrainOptions train;
    std::string model;  // models: the one to show; empty: list them

    ui::RunSettings over(ui::RunSettings base) const {
        for (const auto& change : changes) {
            change(base);
        }
        return base;
    }
};

struct ParsedArguments {
    Arguments arguments;
    std::optional<int> exit_code;  // help, version or a mistake, already printed: leave with it
};

inline constexpr int exit_ok = 0;
inline constexpr int exit_error = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_diverged = 3;  // trained and exported, but the loss was not finite once
inline constexpr int exit_interrupted = 130;  // as shells say of Ctrl-C

ParsedArguments parse_arguments(int argc, const char* const* argv);

}  // namespace trainscope::command_line
