// SPDX-License-Identifier: GPL-3.0-or-later
// Training throughput of simple-cnn on MNIST's and CIFAR's shapes for batch 16..512, for every way
// its convolution can be run. items_per_second is samples/s: loader, forward, backward, optimizer
// and telemetry together. --device=ID, --threads=N, and Google Benchmark's own options.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "engine/ops/conv2d.h"
#include "engine/ops/conv_relu_pool.h"
#include "engine/ops/kernel_variant.h"
#include "tests/benchmarks/run_benchmarks.h"
#include "tests/benchmarks/training.h"

namespace trainscope::benchmarks {
namespace {

constexpr double seconds_each = 1.0;

std::vector<std::int64_t> batches_for(DeviceKind device) {
    std::vector<std::int64_t> batches = {16, 32, 64, 128, 256, 512};
    if (device != DeviceKind::cpu) {
        batches.push_back(4096);  // a card is not full before
    }
    return batches;
}

struct DataShape {
    const char* name;
    Shape sample;
};
const DataShape data_shapes[] = {{"mnist", {1, 28, 28}}, {"cifar", {3, 32, 32}}};

struct Way {
    std::string name;
    VariantChoice variants;
};

constexpr Conv2d::Shape simple_cnn_conv{
    .n = 16, .c = 1, .h = 28, .w = 28, .k = 16, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1};

// The default, every fused kernel, and every convolution with separate ReLU and pooling.
std::vector<Way> ways(DeviceKind device) {
    std::vector<Way> all = {{"auto", {}}};
    for (const auto& fused : variants_of<ConvReluPool>(device)) {
        VariantChoice choice;
        choice.set(std::string(ConvReluPool::name), fused.name);
        if (fused.name != "separate") {
            all.push_back({fused.name, choice});
            continue;
        }
        for (const auto& conv : variants_of<Conv2d>(device)) {
            // Depthwise ones refuse these convolutions.
            if (!conv.trainable || conv.refuses(simple_cnn_conv)) {
                continue;
            }
            choice.set(std::string(Conv2d::name), conv.name);
            all.push_back({conv.name, choice});
        }
    }
    return all;
}

const std::shared_ptr<const Dataset>& dataset_of(const DataShape& shape) {
    static std::map<std::string, std::shared_ptr<const Dataset>> opened;
    auto& dataset = opened[shape.name];
    if (dataset == nullptr) {
        dataset = random_images(shape.sample, 4096);
    }
    return dataset;
}

void run(::benchmark::State& state, const DataShape& shape, std::int64_t batch, const Way& way,
         const Machine& machine) {
    TrainerConfig config = configuration("simple-cnn", batch, machine);
    config.variants = way.variants;
    std::int64_t samples = 0;
    for ([[maybe_unused]] auto step : state) {
        const Measured measured = measure(config, dataset_of(shape), seconds_each);
        samples += measured.samples;
        state.SetIterationTime(measured.seconds);
    }
    state.SetItemsProcessed(samples);
}

void register_all(const Machine& machine) {
    for (const DataShape& shape : data_shapes) {
        for (const std::int64_t batch : batches_for(machine.device.kind)) {
            for (const Way& way : ways(machine.device.kind)) {
                const std::string name =
                    fmt::format("simple-cnn/{}/{}/{}", shape.name, batch, way.name);
                ::benchmark::RegisterBenchmark(name.c_str(), run, shape, batch, way, machine)
                    ->UseManualTime()
                    ->Iterations(1)
                    ->Unit(::benchmark::kMillisecond);
            }
        }
    }
}

}  // namespace
}  // namespace trainscope::benchmarks

int main(int argc, char** argv) {
    return trainscope::benchmarks::run_benchmarks(argc, argv, trainscope::benchmarks::register_all);
}
