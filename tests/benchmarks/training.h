// SPDX-License-Identifier: GPL-3.0-or-later
// Whole trainings as something to measure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/data/dataset.h"
#include "engine/model/variant_choice.h"
#include "engine/train/trainer.h"

namespace trainscope::benchmarks {

struct Measured {
    std::int64_t samples = 0;
    std::int64_t steps = 0;
    double seconds = 0;  // active: without evaluations
    double samples_per_second() const { return static_cast<double>(samples) / seconds; }
};

// Random images and labels of that shape, ten classes.
std::shared_ptr<const Dataset> random_images(const Shape& sample, std::int64_t count);

// What is measured on.
struct Machine {
    DeviceInfo device;
    int threads = 1;
};

// A configuration of a preset that never evaluates and never ends by itself.
TrainerConfig configuration(const std::string& model, std::int64_t micro_batch,
                            const Machine& machine);

// Trains for at least `seconds` after a warm-up of a tenth of that and three steps. Ends the
// program with a message when the training cannot start.
Measured measure(const TrainerConfig& config, const std::shared_ptr<const Dataset>& dataset,
                 double seconds);

// Takes "--device=ID" and "--threads=N" out of the arguments; without them, the CPU and all that it
// has. Ends the program with a message when there is no such device.
Machine take_machine(int& argc, char** argv);

}  // namespace trainscope::benchmarks
