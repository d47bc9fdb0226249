// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/train.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <thread>

#include "app/command_line/export_run.h"
#include "app/command_line/progress.h"
#include "app/command_line/settings.h"
#include "engine/core/format.h"

namespace trainscope::command_line {

namespace {

volatile std::sig_atomic_t interrupted = 0;

extern "C" void note_interrupt(int signal) {
    interrupted = 1;
    std::signal(signal, SIG_DFL);  // a second Ctrl-C ends the program at once
}

int fail(const Error& error) {
    std::fflush(stdout);
    fmt::print(stderr, "trainscope: {}\n", error.message);
    return exit_error;
}

// Waits for the end, showing progress. True when a person ended it.
bool follow(Trainer& trainer, bool quiet) {
    Progress progress(trainer, quiet);
    bool asked_to_stop = false;
    while (!trainer.status().done()) {
        if (interrupted != 0 && !asked_to_stop) {
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
    fmt::print("{} on {}: {} train and {} test samples of {}, {} classes\n", config.model.name,
               dataset.name, format_count(dataset.train.count), format_count(dataset.test.count),
               dataset.sample.to_string(), dataset.classes);
    fmt::print("{} parameters, {} multiply-accumulates a sample; {}\n",
               format_count(trainer.graph().parameter_count()),
               format_count(trainer.graph().macs()), config.device.description);
    fmt::print("batch {} x {}, {}, learning rate {}, {} of memory\n", status.micro_batch,
               status.accumulation, name_of(status.optimizer.kind), status.optimizer.learning_rate,
               format_bytes(status.memory.total()));
    std::fflush(stdout);
}

void print_summary(const Trainer& trainer, bool stopped) {
    const std::shared_ptr<const Telemetry> telemetry = trainer.telemetry();
    const TrainerStatus status = trainer.status();
    fmt::print("{} after {} steps, {} samples, {}\n", stopped ? "Stopped" : "Finished",
               format_count(status.step), format_count(status.samples),
               format_duration(status.active_seconds));
    if (const std::size_t steps = telemetry->steps(); steps > 0) {
        fmt::print("train loss {:.4f} (last step), {} samples/s, peak memory {}\n",
                   telemetry->at(Metric::loss, steps - 1),
                   format_count(std::llround(throughput(*telemetry, 0))),
                   format_bytes(status.memory_peak));
    }
    const Column<EvaluationSample>& evaluations = telemetry->evaluations();
    if (const std::size_t count = evaluations.size(); count > 0) {
        const EvaluationSample last = evaluations[count - 1];
        fmt::print("test loss {:.4f}, test accuracy {:.2f} % (after step {})\n", last.loss,
                   last.accuracy * 100, format_count(static_cast<std::int64_t>(last.step)));
    }
}

Result<std::unique_ptr<Trainer>> make_trainer(const Arguments& arguments) {
    Result<ui::RunSettings> run = settle(arguments, {});
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
        if (const auto ready = prepare_export_folder(options.export_folder); !ready) {
            return fail(ready.error());
        }
    }
    std::signal(SIGINT, note_interrupt);
    std::signal(SIGTERM, note_interrupt);
    const auto trainer = make_trainer(arguments);
    if (!trainer) {
        return fail(trainer.error());
    }
    if (!options.quiet) {
        print_start(**trainer);
    }
    const bool stopped = follow(**trainer, options.quiet);
    if (!options.quiet) {
        print_summary(**trainer, stopped);
    }
    int exit_code = stopped ? exit_interrupted : exit_ok;
    if (exports) {
        const auto files = export_run(options, **trainer);
        if (!files) {
            exit_code = fail(files.error());
        } else if (!options.quiet) {
            fmt::print("wrote {} files to {}\n", files->size(), options.export_folder.string());
        }
    }
    if (const TrainerStatus status = (*trainer)->status(); status.state == TrainerState::failed) {
        exit_code = fail({ErrorCode::invalid_argument, status.error});
    }
    return exit_code;
}

}  // namespace trainscope::command_line
