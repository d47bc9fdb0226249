// SPDX-License-Identifier: GPL-3.0-or-later
// Whole training runs with their float64 results. How the files are laid out is said in formats.md
// beside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/record/safetensors.h"
#include "tests/train/small_training.h"

namespace trainscope::testing {

struct GoldenRun {
    std::string name;
    SafeTensors file;
    TrainerConfig config;  // on the CPU
    std::shared_ptr<const Dataset> dataset;
    int steps = 0;

    std::vector<double> values(const std::string& tensor) const {
        return file.tensors.at(tensor).as_double();
    }
};

// All of the shared folder by their names, read once.
const std::vector<GoldenRun>& golden_runs();

// Expects that each variant of an operator on a device reproduces every run in which it has
// something to do, and that there is one.
void expect_every_variant_reproduces(std::string_view op, const DeviceInfo& device);

// The same where a run takes seconds: one variant of each operator at once, the `index`-th of those
// that may train, or "auto" where there are fewer; `sets_of_variants` is how many such sets there
// are. Each set has the run whose model has most kinds of layers and its share of the others, and
// those that a variant needs which these cannot use.
std::size_t sets_of_variants(DeviceKind device);
void expect_set_reproduces(std::size_t index, const DeviceInfo& device);

// The operators that have variants on a device.
std::vector<std::string> operators_on(DeviceKind device);

// Runs it and compares. False when a variant of the configuration refuses the model or has nothing
// to do in it.
//
// Max pooling and ReLU decide between values, and where two of them are closer than float32 can
// tell, a right implementation may decide otherwise than float64 does and then goes another way: in
// train_mnist_bn_cnn_accumulation the second step's pool2 has a window whose two largest values
// are 3.3e-7 apart at 0.4225 (the run in float64 says so; every other window that is no exact tie
// has a multiple of it in these steps), and what different orders of summation make of them in
// float32 differs by 1e-6 (measured between `naive` and `two_pass`). So the run is tried from up to
// `attempts` beginnings that differ from the file's by the last bit of each parameter, and one of
// them must agree in everything.
bool reproduce(const GoldenRun& run, const TrainerConfig& config, std::string_view op);

}  // namespace trainscope::testing
