// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <sstream>

#include "app/command_line/bench_options.h"
#include "app/command_line/export_run.h"
#include "app/command_line/options.h"
#include "app/command_line/say.h"
#include "app/command_line/values.h"
#include "app/command_line/version.h"
#include "engine/core/near_name.h"
#include "engine/data/dataset.h"
#include "engine/data/limits.h"
#include "engine/model/memory_plan.h"
#include "engine/ops/check_variant.h"
#include "engine/train/limits.h"

namespace trainscope::command_line {

namespace {

using ui::RunSettings;

std::string near_hint(std::string_view typed, const std::vector<std::string>& names) {
    return near_name_hint(typed, std::vector<std::string_view>(names.begin(), names.end()));
}

std::vector<std::string> dataset_names() {
    std::vector<std::string> names;
    for (const DatasetKind& kind : dataset_kinds()) {
        names.push_back(kind.name);
    }
    return names;
}

std::vector<std::string> preset_names() {
    std::vector<std::string> names;
    for (const ModelSpec& preset : model_presets()) {
        names.push_back(preset.name);
    }
    return names;
}

void choose_dataset(Arguments& out, const std::string& name) {
    require_name("--dataset", "data set", name, dataset_names());
    out.dataset_given = true;
    out.changes.emplace_back([name](RunSettings& run) { run.dataset.name = name; });
}

void add_dataset_options(CLI::App& app, Arguments& out) {
    const auto change = [&out](auto set) { out.changes.emplace_back(set); };
    add_value(app, "--dataset", "NAME", "data set; 'trainscope datasets' lists them [digits]",
              [&out](const std::string& text) { choose_dataset(out, text); });
    add_value(app, "--data-dir", "DIR", "folder of the data set's files", [=](const auto& text) {
        change([text](RunSettings& run) { run.dataset.folder = text; });
    });
    add_count(app, "--train-count", "train samples: of files at most so many", Range(),
              [=](auto n) { change([n](RunSettings& run) { run.dataset.train_count = n; }); });
    add_count(app, "--test-count", "test samples: of files at most so many", Range(),
              [=](auto n) { change([n](RunSettings& run) { run.dataset.test_count = n; }); });
    add_value(app, "--shape", "CxHxW", "sample shape of 'random'; size of 'image-folder'",
              [=](const auto& text) {
                  const Shape shape = accept("--shape", read_sample_shape(text));
                  change([shape](RunSettings& run) { run.dataset.sample = shape; });
              });
    add_count(app, "--classes", "classes of 'random' [10]",
              {.least = 2, .most = most_random_classes},
              [=](auto n) { change([n](RunSettings& run) { run.dataset.classes = n; }); });
    app.add_flag_callback(
        "--soft-labels", [=] { change([](RunSettings& run) { run.dataset.soft_labels = true; }); },
        "soft labels for 'random'");
    add_count(app, "--seed", "seed of data, parameters and order of samples [1]",
              {.least = 0, .most = std::numeric_limits<std::int64_t>::max()}, [=](auto n) {
                  change([n](RunSettings& run) {
                      run.seed = static_cast<std::uint64_t>(n);
                      run.dataset.seed = run.seed;
                  });
              });
}

void choose_variant(Arguments& out, const std::string& text) {
    auto [op, name] = accept("--variant", read_assignment(text));
    // --device may yet choose another device; the training knows which one it is.
    const Result<void> known = check_variant(DeviceKind::cpu, op, name);
    bool elsewhere = false;
    for (const DeviceKind device : all_device_kinds) {
        elsewhere = elsewhere || check_variant(device, op, name).has_value();
    }
    if (!elsewhere) {
        refuse("--variant", known.error().message);
    }
    out.changes.emplace_back(
        [op = op, name = name](RunSettings& run) { run.variants.set(op, name); });
}

void choose_optimizer(Arguments& out, const std::string& text) {
    std::vector<std::string> names;
    for (const OptimizerKind kind : all_optimizers) {
        names.emplace_back(name_of(kind));
        if (name_of(kind) == text) {
            out.changes.emplace_back([kind](RunSettings& run) { run.optimizer.kind = kind; });
        }
    }
    require_name("--optimizer", "optimizer", text, names);
    out.optimizer_given = true;
}

void choose_model(Arguments& out, const std::string& text) {
    const bool is_file = text.find('/') != std::string::npos || text.ends_with(".json");
    if (!is_file) {
        require_name("--model", "model", text, preset_names());
    }
    out.model_given = true;
    out.changes.emplace_back([text](RunSettings& run) { run.model = text; });
}

void add_knobs(CLI::App& app, Arguments& out) {
    const auto change = [&out](auto set) { out.changes.emplace_back(set); };
    add_value(app, "--model", "NAME|FILE",
              "preset ('trainscope models' lists them) or JSON file [simple-cnn]",
              [&out](const auto& text) { choose_model(out, text); });
    add_count(app, "--batch-size,--micro-batch", "micro-batch: samples a forward pass [32]",
              Range(), [=](auto n) { change([n](RunSettings& run) { run.micro_batch = n; }); });
    add_count(app, "--accumulation", "micro-batches an optimizer step [1]",
              {.most = largest_accumulation},
              [=](auto n) { change([n](RunSettings& run) { run.accumulation = n; }); });
    add_value(app, "--optimizer", "NAME", "sgd, momentum, adam or adamw [the model's]",
              [&out](const auto& text) { choose_optimizer(out, text); });
    add_value(app, "--learning-rate", "X", "[the model's, or the optimizer's usual one]",
              [&out, change](const auto& text) {
                  const float rate = accept("--learning-rate", read_positive(text));
                  out.learning_rate_given = true;
                  change([rate](RunSettings& run) { run.optimizer.learning_rate = rate; });
              });
    app.add_option_function<std::vector<std::string>>(
           "--variant",
           [&out](const std::vector<std::string>& texts) {
               for (const std::string& text : texts) {
                   choose_variant(out, text);
               }
           },
           "kernel variant of an operator; may be given again for another")
        ->type_name("OP=NAME")
        ->allow_extra_args(false);
    add_value(app, "--device", "ID", "'trainscope devices' lists them [auto]",
              [=](const auto& id) { change([id](RunSettings& run) { run.device = id; }); });
    add_count(
        app, "--threads", "threads for kernels [as many as the device has]", {.most = most_threads},
        [=](auto n) { change([n](RunSettings& run) { run.threads = static_cast<int>(n); }); });
    add_value(app, "--memory-budget", "SIZE", "refuse to use more memory, such as 8GiB",
              [=](const auto& text) {
                  const std::int64_t bytes = accept("--memory-budget", read_bytes(text));
                  change([bytes](RunSettings& run) { run.memory_budget = bytes; });
              });
    add_count(app, "--eval-every", "steps between evaluations on the test split [an epoch]",
              Range(),
              [=](auto n) { change([n](RunSettings& run) { run.evaluation_interval = n; }); });
    add_count(app, "--epochs", "passes over the train split", Range(), [&out, change](auto n) {
        out.epochs_given = true;
        change([n](RunSettings& run) { run.epochs = n; });
    });
}

void read_formats(TrainOptions& train, const std::string& text) {
    std::vector<std::string> formats;
    for (const std::string& format : CLI::detail::split(text, ',')) {
        require_name("--export-formats", "format", format, export_formats());
        formats.push_back(format);
    }
    train.export_formats = formats;
}

void add_train_options(CLI::App& app, Arguments& out) {
    TrainOptions& train = out.train;
    train.export_formats = export_formats();
    add_count(app, "--steps", "end after so many optimizer steps", Range(),
              [&train](auto n) { train.max_steps = n; });
    app.add_flag_callback(
        "--no-shuffle", [&train] { train.shuffle = false; }, "keep the order of the files");
    add_value(app, "--export", "DIR",
              "write logs and charts to DIR at the end; files of the same names are replaced",
              [&train](const auto& text) {
                  if (text.empty()) {
                      refuse("--export", "expected a folder, found ''");
                  }
                  train.export_folder = text;
              });
    add_value(app, "--export-formats", "LIST",
              fmt::format("some of {} [all]", fmt::join(export_formats(), ",")),
              [&train](const auto& text) { read_formats(train, text); });
    const ui::PictureOptions usual;
    add_value(
        app, "--chart-size", "WxH",
        fmt::format("size of exported charts [{}x{}]", usual.size.width(), usual.size.height()),
        [&train](const auto& text) {
            const auto [width, height] = accept("--chart-size", read_picture_size(text));
            train.chart.size = {width, height};
        });
    using Limits = ui::PictureLimits;
    add_count(app, "--chart-dpi",
              fmt::format("resolution of exported PNG charts, {} to {} [{}]", Limits::least_dpi,
                          Limits::most_dpi, usual.dpi),
              {.least = Limits::least_dpi, .most = Limits::most_dpi},
              [&train](auto n) { train.chart.dpi = static_cast<int>(n); });
    app.add_flag("--quiet", train.quiet, "print nothing but errors");
}

bool exports_charts(const TrainOptions& train) {
    return std::any_of(train.export_formats.begin(), train.export_formats.end(),
                       [](const std::string& format) {
                           return ui::isPictureFormat(QString::fromStdString(format));
                       });
}

// Refuses what says how to export where nothing, or nothing of that kind, is exported.
void check_export_options(const CLI::App& app, const TrainOptions& train) {
    for (const char* option : {"--export-formats", "--chart-size", "--chart-dpi"}) {
        if (app.count(option) > 0 && train.export_folder.empty()) {
            refuse(option, "nothing is exported; say where to with --export.");
        }
    }
    if (app.count("--chart-size") > 0 && !exports_charts(train)) {
        refuse("--chart-size", fmt::format("no charts are exported; add {} to --export-formats.",
                                           ui::pictureFormatNames().toStdString()));
    }
    if (app.count("--chart-dpi") > 0 &&
        std::find(train.export_formats.begin(), train.export_formats.end(), "png") ==
            train.export_formats.end()) {
        refuse("--chart-dpi", "no PNG charts are exported; add png to --export-formats.");
    }
}

// An option or command that is not there, with the one that may have been meant.
std::string say_unexpected(const CLI::App& app, const std::vector<std::string>& extras) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(command->get_name());
    }
    const std::string typed =
        extras.empty() ? "" : extras.front().substr(0, extras.front().find('='));
    const std::string hint = near_hint(typed, names);
    return fmt::format("'{}' was not expected{}", typed, hint.empty() ? "." : hint);
}

int report_mistake(const CLI::App& app, const CLI::ParseError& error) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    const CLI::App& active = chosen.empty() ? app : *chosen.front();
    std::string message = error.what();
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        message = say_unexpected(active, active.remaining());
    }
    const std::string command =
        chosen.empty() ? "trainscope" : "trainscope " + chosen.front()->get_name();
    say_error("{}{} ('{} --help' lists the options)", message,
              message.ends_with('.') || message.ends_with('?') ? "" : ".", command);
    return exit_usage;
}

struct Command {
    const char* name;
    Action action;
    const char* help;
};
constexpr std::array<Command, 6> commands = {{
    {"train", Action::train, "train without a window"},
    {"datasets", Action::datasets, "list the data sets, or show the size and classes of one"},
    {"models", Action::models, "list the models, or show the layers of one"},
    {"devices", Action::devices, "list the devices of this machine"},
    {"variants", Action::variants, "list the kernel variants of every operator"},
    {"bench", Action::bench, "measure kernel variants: time, error, memory"},
}};

void add_command(CLI::App& app, const Command& command, Arguments& out) {
    CLI::App* const sub = app.add_subcommand(command.name, command.help);
    sub->final_callback([&out, sub, action = command.action] {
        out.action = action;
        if (action == Action::train) {
            check_export_options(*sub, out.train);
        } else if (action == Action::bench) {
            check_bench_options(*sub, out.bench);
        }
    });
    if (command.action == Action::train) {
        add_dataset_options(*sub, out);
        add_knobs(*sub, out);
        add_train_options(*sub, out);
    } else if (command.action == Action::bench) {
        add_bench_options(*sub, out.bench);
    } else if (command.action == Action::models) {
        sub->add_option("model", out.model, "a preset or a JSON file")->type_name("NAME|FILE");
        add_dataset_options(*sub, out);
    } else if (command.action == Action::datasets) {
        sub->add_option_function<std::string>(
               "dataset", [&out](const std::string& name) { choose_dataset(out, name); },
               "the one to show")
            ->type_name("NAME");
        add_dataset_options(*sub, out);
    }
}

}  // namespace

ParsedArguments parse_arguments(int argc, const char* const* argv) {
    ParsedArguments parsed;
    Arguments& out = parsed.arguments;
    CLI::App app(
        "Trainscope: an oscilloscope with knobs for training neural networks.\n"
        "Without a command it opens the window; the options below choose what it opens with.",
        "trainscope");
    app.require_subcommand(0, 1);
    app.set_version_flag("--version", version_text);
    add_dataset_options(app, out);
    add_knobs(app, out);
    app.add_flag("--start", out.autostart, "start training at once");

    for (const Command& command : commands) {
        add_command(app, command, out);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {  // --help, --version
        std::ostringstream text;
        parsed.exit_code = app.exit(success, text, text);
        say_text(stdout, text.str());
    } catch (const CLI::ParseError& error) {
        parsed.exit_code = report_mistake(app, error);
    }
    return parsed;
}

}  // namespace trainscope::command_line
