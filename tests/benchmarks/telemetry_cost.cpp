// SPDX-License-Identifier: GPL-3.0-or-later
// What recording every step costs: the same training with recording on and off, by turns, so that
// whatever else the machine does meets both alike. --device=ID, --threads=N, --batch=N,
// --rounds=N.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "engine/core/spin_limit.h"
#include "tests/benchmarks/training.h"

namespace trainscope::benchmarks {
namespace {

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// A training that waits until it is its turn.
class Contestant {
  public:
    Contestant(TrainerConfig config, const std::shared_ptr<const Dataset>& dataset) {
        config.start_paused = true;
        auto made = Trainer::create(std::move(config), dataset);
        if (!made) {
            fmt::print(stderr, "{}\n", made.error().message);
            std::exit(EXIT_FAILURE);
        }
        trainer_ = std::move(*made);
    }

    // Microseconds a step, over `seconds` of training.
    double turn(double seconds) {
        const TrainerStatus before = trainer_->status();
        trainer_->send(Resume{});
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
        trainer_->send(Pause{});
        TrainerStatus after = trainer_->status();
        while (after.state != TrainerState::paused) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            after = trainer_->status();
        }
        return (after.active_seconds - before.active_seconds) * 1e6 /
               static_cast<double>(after.step - before.step);
    }

  private:
    std::unique_ptr<Trainer> trainer_;
};

int option(int argc, char** argv, const std::string& flag, int standard) {
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument.starts_with(flag)) {
            return std::max(1, std::atoi(argument.c_str() + flag.size()));
        }
    }
    return standard;
}

void compare(const char* name, const Shape& sample, int batch, const Machine& machine, int rounds) {
    constexpr double seconds = 0.1;  // short, so that both see the same neighbours
    const auto dataset = random_images(sample, 4096);
    TrainerConfig config = configuration("simple-cnn", batch, machine);
    Contestant recording(config, dataset);
    config.record_steps = false;
    Contestant silent(config, dataset);
    std::vector<double> on, off, ratios;
    for (int round = -1; round < rounds; ++round) {
        const bool on_first = round % 2 == 0;
        const double first = (on_first ? recording : silent).turn(seconds);
        const double second = (on_first ? silent : recording).turn(seconds);
        if (round >= 0) {  // the first round warms up
            on.push_back(on_first ? first : second);
            off.push_back(on_first ? second : first);
            ratios.push_back(on.back() / off.back());
        }
    }
    std::sort(ratios.begin(), ratios.end());
    const auto percent = [](double ratio) { return 100 * (ratio - 1); };
    fmt::print(
        "simple-cnn {} batch {}: {:.1f} us a step recorded, {:.1f} us not; cost {:+.2f} % "
        "(median of {} pairs, quartiles {:+.2f} .. {:+.2f} %)\n",
        name, batch, median(on), median(off), percent(median(ratios)), rounds,
        percent(ratios[ratios.size() / 4]), percent(ratios[ratios.size() * 3 / 4]));
}

}  // namespace
}  // namespace trainscope::benchmarks

int main(int argc, char** argv) {
    trainscope::limit_spinning(argv);  // as the program does
    using namespace trainscope::benchmarks;
    const int batch = option(argc, argv, "--batch=", 16);
    const int rounds = option(argc, argv, "--rounds=", 200);
    const Machine machine = take_machine(argc, argv);
    compare("MNIST shape", trainscope::Shape{1, 28, 28}, batch, machine, rounds);
    compare("CIFAR shape", trainscope::Shape{3, 32, 32}, batch, machine, rounds);
    return EXIT_SUCCESS;
}
