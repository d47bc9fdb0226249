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

enum class Action { window, train, datasets, models, devices, variants, bench };

// What `trainscope train` takes beyond the settings that the window has too.
struct TrainOptions {
    std::int64_t max_steps = 0;  // 0: no limit
    bool shuffle = true;
    bool quiet = false;
    std::filesystem::path export_folder;      // empty: nothing is exported
    std::vector<std::string> export_formats;  // of export_formats() in export_run.h
    ui::PictureOptions chart;                 // size and resolution; the formats are above
};

// What `trainscope bench` takes.
struct BenchArguments {
    std::string op;     // empty: all, or those of the model
    std::string shape;  // as typed; empty: the operator's usual one
    std::string model;  // empty: no model
    std::int64_t micro_batch = 32;
    Shape input{1, 28, 28};  // of the model, one sample
    std::int64_t classes = 10;
    std::vector<std::string> variants;  // empty: all
    std::string device = "auto";
    int threads = 0;          // 0: as many as the device has
    std::int64_t repeat = 0;  // 0: as many runs as fit into `seconds`
    float seconds = 0.5F;
    std::uint64_t seed = 1;
    std::filesystem::path csv;  // empty: none is written
};

struct Arguments {
    Action action = Action::window;
    // Each option that was given, to be laid over the settings that hold without it.
    std::vector<std::function<void(ui::RunSettings&)>> changes;
    bool dataset_given = false, model_given = false, epochs_given = false;
    bool optimizer_given = false, learning_rate_given = false;
    bool autostart = false;  // window: --start
    TrainOptions train;
    BenchArguments bench;
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
