// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/benchmarks/training.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "engine/core/device_backend.h"
#include "engine/ops/device_plugin.h"

namespace trainscope::benchmarks {

namespace {

[[noreturn]] void end(const Error& error) {
    fmt::print(stderr, "{}\n", error.message);
    std::exit(EXIT_FAILURE);
}

struct Mark {
    std::int64_t step, samples;
    double active_seconds;
};

// Waits until the training has been active for `seconds`.
Mark wait_until(const Trainer& trainer, double seconds, std::int64_t steps) {
    while (true) {
        const TrainerStatus status = trainer.status();
        if (status.active_seconds >= seconds && status.step >= steps) {
            return {status.step, status.samples, status.active_seconds};
        }
        if (status.done()) {
            end({ErrorCode::invalid_argument, "The training ended too early: " + status.error});
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

}  // namespace

std::shared_ptr<const Dataset> random_images(const Shape& sample, std::int64_t count) {
    DatasetOptions options;
    options.name = "random";
    options.sample = sample;
    options.train_count = count;
    options.test_count = 1;
    auto dataset = open_dataset(options);
    if (!dataset) {
        end(dataset.error());
    }
    return *dataset;
}

TrainerConfig configuration(const std::string& model, std::int64_t micro_batch,
                            const Machine& machine) {
    auto spec = find_model(model);
    if (!spec) {
        end(spec.error());
    }
    TrainerConfig config;
    config.optimizer = spec->optimizer;
    config.model = std::move(*spec);
    config.device = machine.device;
    config.threads = machine.threads;
    config.micro_batch = micro_batch;
    config.evaluation_interval = std::int64_t{1} << 60;
    return config;
}

Measured measure(const TrainerConfig& config, const std::shared_ptr<const Dataset>& dataset,
                 double seconds) {
    constexpr std::int64_t warm_up_steps = 3;
    const auto trainer = Trainer::create(config, dataset);
    if (!trainer) {
        end(trainer.error());
    }
    const Mark from = wait_until(**trainer, seconds / 10, warm_up_steps);
    const Mark to = wait_until(**trainer, from.active_seconds + seconds, from.step + warm_up_steps);
    return {to.samples - from.samples, to.step - from.step,
            to.active_seconds - from.active_seconds};
}

Machine take_machine(int& argc, char** argv) {
    std::string id = "cpu";
    int threads = static_cast<int>(std::thread::hardware_concurrency());
    int kept = 1;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument.starts_with("--threads=")) {
            threads = std::atoi(argv[i] + std::string_view("--threads=").size());
        } else if (argument.starts_with("--device=")) {
            id = argument.substr(std::string_view("--device=").size());
        } else {
            argv[kept++] = argv[i];
        }
    }
    argc = kept;
    if (threads < 1) {
        end({ErrorCode::invalid_argument, "--threads: expected a whole number from 1"});
    }
#ifdef TRAINSCOPE_CUDA_PLUGIN
    load_device_plugin(DeviceKind::cuda, TRAINSCOPE_CUDA_PLUGIN);
#endif
    auto device = find_device(id);
    if (!device) {
        end(device.error());
    }
    return {std::move(*device), threads};
}

}  // namespace trainscope::benchmarks
