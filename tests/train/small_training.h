// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of training share: small data, small models, and asking a trainer and waiting for
// its answer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/train/trainer.h"
#include "engine/train/training.h"

namespace trainscope::testing {

// Images [1, 8, 8] whose class shows: a bright band at its place, in noise. `test` may be 0.
std::shared_ptr<Dataset> banded_images(std::int64_t train = 96, std::int64_t test = 40,
                                       std::uint64_t seed = 7);

// conv 3x3 same 4 - relu - max_pool 2 - flatten - dense, and the same with batch norm.
ModelSpec small_cnn();
ModelSpec small_bn_cnn();
// flatten - dense 6 - batch norm - relu - dense: one value a channel for each sample.
ModelSpec dense_bn();
// flatten - dense 12 - relu - dense 9 without bias - relu - dense.
ModelSpec small_mlp();

// One thread, seed 1, the CPU, momentum at 0.05.
TrainerConfig small_config(ModelSpec model = small_cnn(), std::int64_t micro_batch = 16);

std::unique_ptr<Training> make_training(const TrainerConfig& config,
                                        std::shared_ptr<const Dataset> dataset = banded_images());
std::unique_ptr<Trainer> make_trainer(const TrainerConfig& config,
                                      std::shared_ptr<const Dataset> dataset = banded_images());

// Runs steps that nobody interrupts.
void run_steps(Training& training, int count);
// The column of a metric as it is now.
std::vector<double> column(const Telemetry& telemetry, Metric metric);

using Parameters = std::map<std::string, std::vector<float>>;

// Sends a command and waits for its answer.
CommandAnswer ask(Trainer& trainer, CommandBody command);
// Waits (up to 30 s) until `holds` does.
bool wait_until(const std::function<bool()>& holds);

}  // namespace trainscope::testing
