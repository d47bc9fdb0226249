// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/train.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <thread>

#include "app/command_line/export_run.h"
#include "app/command_line/interruption.h"
#include "app/command_line/progress.h"
#include "app/command_line/say.h"
#include "app/command_line/settings.h"
#include "engine/core/format.h"
#include "engine/core/printable.h"

namespace trainscope::command_line {

namespace {

// "1 step", "2,000 steps"
std::string counted(std::int64_t count, std::string_view thing) {
    return fmt::format("{} {}{}", format_count(count), thing, count == 1 ? "" : "s");
}

// Waits for the end, showing progress. True when a person ended it.
bool follow(Trainer& trainer, bool quiet, const Interruption& interruption) {
    Progress progress(trainer, quiet);
    bool asked_to_stop = false;
    while (!trainer.status().done()) {
        if (!asked_to_stop && interruption.asked()) {
            asked_to_stop = true;
            trainer.send(Stop{});
        }
        progress.update();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    trainer.wait();
    progress.finish();
    return asked_to_stop;
}

void print_start(const Trainer& trainer) {
    const TrainerConfig& config = trainer.config();
    const Dataset& dataset = trainer.dataset();
    const TrainerStatus status = trainer.status();
    say("{} on {}: {} train and {} test samples of {}, {} classes\n", printable(config.model.name),
        dataset.name, format_count(dataset.train.count), format_count(dataset.test.count),
        dataset.sample.to_string(), dataset.classes);
    say("{} parameters, {} multiply-accumulates a sample; {}\n",
        format_count(trainer.graph().parameter_count()), format_count(trainer.graph().macs()),
        config.device.description);
    say("batch {} x {}, {}, learning rate {}, {} of memory\n", status.micro_batch,
        status.accumulation, name_of(status.optimizer.kind), status.optimizer.learning_rate,
        format_bytes(status.memory.total()));
    if (config.device.kind == DeviceKind::emulated) {
        say("{}\n", emulation_note);
    }
    flush_output();
}

void print_summary(const Trainer& trainer, bool stopped) {
    const std::shared_ptr<const Telemetry> telemetry = trainer.telemetry();
    const TrainerStatus status = trainer.status();
    say("{} after {}, {}, {}\n", stopped ? "Stopped" : "Finished", counted(status.step, "step"),
        counted(status.samples, "sample"), format_duration(status.active_seconds));
    if (const std::size_t steps = telemetry->steps(); steps > 0) {
        say("train loss {} (last step), {} samples/s, peak memory {}\n",
            loss_text(telemetry->at(Metric::loss, steps - 1)),
            format_count(std::llround(throughput(*telemetry, 0))),
            format_bytes(status.memory_peak));
    }
    const Column<EvaluationSample>& evaluations = telemetry->evaluations();
    if (const std::size_t count = evaluations.size(); count > 0) {
        const EvaluationSample last = evaluations[count - 1];
        say("test loss {}, test accuracy {:.2f} % (after step {})\n", loss_text(last.loss),
            last.accuracy * 100, format_count(static_cast<std::int64_t>(last.step)));
    }
}

// The step after which the loss was not finite for the first time; 0 when it always was.
std::int64_t diverged_at(const Trainer& trainer) {
    const std::shared_ptr<const Telemetry> telemetry = trainer.telemetry();
    for (std::size_t i = 0; i < telemetry->steps(); ++i) {
        if (!std::isfinite(telemetry->at(Metric::loss, i))) {
            return static_cast<std::int64_t>(telemetry->at(Metric::step, i));
        }
    }
    return 0;
}

Result<std::unique_ptr<Trainer>> make_trainer(const Arguments& arguments,
                                              const std::stop_token& stop) {
    Result<ui::RunSettings> run = settle(arguments);
    if (!run) {
        return make_error(std::move(run.error()));
    }
    if (!arguments.epochs_given && arguments.train.max_steps == 0) {
        run->epochs = 1;
    }
    Result<TrainerConfig> config = ui::makeConfig(*run);
    if (!config) {
        return make_error(std::move(config.error()));
    }
    config->max_steps = arguments.train.max_steps;
    config->shuffle = arguments.train.shuffle;
    run->dataset.stop = stop;
    auto dataset = open_dataset(run->dataset);
    if (!dataset) {
        return make_error(std::move(dataset.error()));
    }
    return Trainer::create(std::move(*config), std::move(*dataset));
}

}  // namespace

int run_train(const Arguments& arguments) {
    const TrainOptions& options = arguments.train;
    const bool exports = !options.export_folder.empty();
    if (exports) {
        if (const auto ready = prepare_export(options); !ready) {
            return say_failure(ready.error());
        }
    }
    std::signal(SIGPIPE, SIG_IGN);  // a reader of the output that went away ends no training
    const Interruption interruption;
    const auto trainer = make_trainer(arguments, interruption.token());
    if (!trainer && interruption.asked()) {
        say_error("interrupted before the training began");
        return exit_interrupted;
    }
    if (!trainer) {
        return say_failure(trainer.error());
    }
    if (!options.quiet) {
        print_start(**trainer);
    }
    const bool stopped = follow(**trainer, options.quiet, interruption);
    if (!options.quiet) {
        print_summary(**trainer, stopped);
    }
    int exit_code = stopped ? exit_interrupted : exit_ok;
    if (exports) {
        const ui::ExportResult written = export_run(options, **trainer);
        for (const std::string& sentence : written.sentences()) {
            exit_code = say_failure({ErrorCode::io, sentence});
        }
        if (!options.quiet && !written.files.empty()) {
            say("wrote {} to {}\n", counted(written.files.size(), "file"),
                printable(options.export_folder.string()));
        }
    }
    if (const std::int64_t step = diverged_at(**trainer); step > 0) {
        say_error("the loss stopped being finite at step {}; a smaller learning rate may help",
                  format_count(step));
        exit_code = exit_code == exit_ok ? exit_diverged : exit_code;
    }
    if (const TrainerStatus status = (*trainer)->status(); status.state == TrainerState::failed) {
        exit_code = say_failure({ErrorCode::invalid_argument, status.error});
    }
    return exit_code;
}

}  // namespace trainscope::command_line
