// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/benchmarks/training.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

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

TrainerConfig configuration(const std::string& model, std::int64_t micro_batch, int threads) {
    auto spec = find_model(model);
    auto device = find_device("cpu");
    if (!spec || !device) {
        end(spec ? device.error() : spec.error());
    }
    TrainerConfig config;
    config.optimizer = spec->optimizer;
    config.model = std::move(*spec);
    config.device = std::move(*device);
    config.threads = threads;
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

int take_threads(int& argc, char** argv) {
    int threads = static_cast<int>(std::thread::hardware_concurrency());
    int kept = 1;
    for (int i = 1; i < argc; ++i) {
        constexpr const char* flag = "--threads=";
        if (std::strncmp(argv[i], flag, std::strlen(flag)) == 0) {
            threads = std::atoi(argv[i] + std::strlen(flag));
        } else {
            argv[kept++] = argv[i];
        }
    }
    argc = kept;
    if (threads < 1) {
        end({ErrorCode::invalid_argument, "--threads: expected a whole number from 1"});
    }
    return threads;
}

}  // namespace trainscope::benchmarks
