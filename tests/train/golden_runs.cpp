// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/train/golden_runs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <set>

#include "engine/core/device_backend.h"
#include "engine/core/random.h"
#include "engine/ops/fused_operators.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/separate.h"
#include "tests/support/shared.h"

namespace trainscope::testing {

namespace fs = std::filesystem;

namespace {

std::int64_t number(const SafeTensors& file, const std::string& key) {
    return std::stoll(file.metadata.at(key));
}

// `count` training samples from `first` on, and no test split.
std::shared_ptr<Dataset> part_of(const Dataset& whole, std::int64_t first, std::int64_t count) {
    auto part = std::make_shared<Dataset>(whole);
    const std::int64_t size = whole.sample.elements();
    EXPECT_LE(first + count, whole.train.count);
    part->train.pixels.assign(whole.train.pixels.begin() + first * size,
                              whole.train.pixels.begin() + (first + count) * size);
    part->train.labels.assign(whole.train.labels.begin() + first,
                              whole.train.labels.begin() + first + count);
    part->train.count = count;
    part->test = {};
    return part;
}

std::shared_ptr<const Dataset> data_of(const SafeTensors& file, std::int64_t count) {
    const std::string& description = file.metadata.at("data");  // "mnist train-images"
    const std::string name = description.substr(0, description.find(' '));
    const auto whole =
        open_dataset({.name = name, .folder = shared_folder() / "data" / name, .sample = {}})
            .value();
    auto dataset = part_of(*whole, number(file, "first_sample"), count);
    if (const auto targets = file.tensors.find("targets"); targets != file.tensors.end()) {
        dataset->train.labels.clear();
        for (const double value : targets->second.as_double()) {
            dataset->train.targets.push_back(static_cast<float>(value));
        }
    }
    return dataset;
}

GoldenRun read_run(const fs::path& path) {
    GoldenRun run;
    run.name = path.filename().string();
    run.file = read_safetensors(path).value();
    std::string model = run.file.metadata.at("model");
    std::replace(model.begin(), model.end(), '_', '-');
    run.steps = static_cast<int>(number(run.file, "steps"));
    TrainerConfig& config = run.config;
    config = small_config(find_model(model).value(), number(run.file, "micro_batch"));
    config.accumulation = number(run.file, "accumulation_steps");
    config.shuffle = false;
    config.optimizer = config.model.optimizer;
    const std::string& optimizer = run.file.metadata.at("optimizer");
    const auto* const kind =
        std::find_if(std::begin(all_optimizers), std::end(all_optimizers),
                     [&](OptimizerKind one) { return name_of(one) == optimizer; });
    if (*kind != config.optimizer.kind) {
        config.optimizer = {.kind = *kind};
    }
    config.optimizer.learning_rate = std::stof(run.file.metadata.at("learning_rate"));
    run.dataset = data_of(run.file, run.steps * config.micro_batch * config.accumulation);
    return run;
}

}  // namespace

const std::vector<GoldenRun>& golden_runs() {
    static const std::vector<GoldenRun> runs = [] {
        std::vector<GoldenRun> found;
        for (const auto& entry : fs::directory_iterator(shared_folder() / "golden")) {
            const std::string name = entry.path().filename().string();
            if (name.starts_with("train_") && name.ends_with(".safetensors")) {
                found.push_back(read_run(entry.path()));
            }
        }
        std::sort(found.begin(), found.end(),
                  [](const GoldenRun& a, const GoldenRun& b) { return a.name < b.name; });
        return found;
    }();
    return runs;
}

namespace {

double distance(const std::vector<double>& a, const std::vector<double>& b) {
    EXPECT_EQ(a.size(), b.size());
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return std::sqrt(sum);
}

// The file's initial parameters; from the second `attempt` on each of them moved at random to one
// of the floats beside it.
void start_from_file(Training& training, const GoldenRun& run, std::uint64_t attempt) {
    Parameters init;
    Random random(attempt);
    for (const auto& [name, values] : training.parameters()) {
        if (!run.file.tensors.contains("init/" + name)) {
            continue;
        }
        for (const double value : run.values("init/" + name)) {
            const auto rounded = static_cast<float>(value);
            const float towards = random.below(2) == 0 ? -1e9F : 1e9F;
            init[name].push_back(attempt == 0 ? rounded : std::nextafter(rounded, towards));
        }
    }
    ASSERT_TRUE(training.set_parameters(init));
}

// The largest deviation from the file, as a multiple of what is allowed.
struct Deviation {
    double worst = 0;
    std::string where;

    void add(double deviation, double allowed, const std::string& what) {
        const double ratio = deviation / allowed;
        if (!(ratio <= worst)) {  // NaN too
            worst = ratio;
            where = what;
        }
    }
    void add(const std::vector<double>& found, const std::vector<double>& expected,
             const std::string& what) {
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            add(std::abs(found[i] - expected[i]), 2e-5 * std::abs(expected[i]),
                what + " of step " + std::to_string(i + 1));
        }
    }
};

Deviation deviation_of(const GoldenRun& run, Training& training) {
    const Parameters start = training.parameters();
    run_steps(training, run.steps);
    training.settle();
    Deviation deviation;
    deviation.add(column(*training.telemetry(), Metric::loss), run.values("loss"), "loss");
    deviation.add(column(*training.telemetry(), Metric::gradient_norm), run.values("grad_norm"),
                  "gradient norm");
    for (const auto& [name, values] : training.parameters()) {
        const std::vector<double> expected = run.values("final/" + name);
        const std::vector<double> begin(start.at(name).begin(), start.at(name).end());
        deviation.add(distance({values.begin(), values.end()}, expected),
                      1e-3 * distance(begin, expected), name);
    }
    return deviation;
}

}  // namespace

bool reproduce(const GoldenRun& run, const TrainerConfig& config, std::string_view op) {
    constexpr std::uint64_t attempts = 8;
    Deviation best;
    for (std::uint64_t attempt = 0; attempt < attempts; ++attempt) {
        const auto created =
            Training::create(config, run.dataset, open_device(config.device).value());
        if (!created) {
            EXPECT_EQ(created.error().code, ErrorCode::unsupported) << created.error().message;
            return false;
        }
        const std::map<std::string, std::string> used = (*created)->variants_used();
        const auto found = used.find(std::string(op));
        if (found == used.end()) {
            return false;  // the model has no such layer
        }
        if (config.variants.of(op) != "auto") {
            EXPECT_EQ(found->second, config.variants.of(op));
        }
        start_from_file(**created, run, attempt);
        const Deviation deviation = deviation_of(run, **created);
        if (attempt == 0 || deviation.worst < best.worst) {
            best = deviation;
        }
        if (best.worst <= 1) {
            if (attempt > 0) {
                std::cout << "[   NOTE   ] " << run.name << " with " << op << " "
                          << config.variants.of(op) << " agrees at attempt " << attempt + 1 << "\n";
            }
            return true;
        }
    }
    ADD_FAILURE() << best.where << " deviates " << best.worst << " times more than allowed";
    return true;
}

namespace {

// Runs are recorded in float32: what rounds factors to fewer bits goes other ways.
bool is_held_to_golden_runs(const VariantInfo& variant) {
    return variant.trainable && variant.arithmetic == Arithmetic::fp32;
}

std::vector<std::string> trainable_variants(std::string_view op, DeviceKind device) {
    std::vector<std::string> names;
    for (const VariantInfo& variant : list_variants(device)) {
        if (variant.op == op && is_held_to_golden_runs(variant)) {
            names.push_back(variant.name);
        }
    }
    return names;
}

void fuse_nothing(TrainerConfig& config) {
    for (const FusedOperator& fused : fused_operators) {
        config.variants.set(std::string(fused.op), std::string(separate));
    }
}

// Whether a recorded model has the operator; of what is fused, its parts in a row.
bool has_place(std::string_view op) {
    const auto* const fused = std::find_if(std::begin(fused_operators), std::end(fused_operators),
                                           [&](const FusedOperator& one) { return one.op == op; });
    return fused == std::end(fused_operators) ||
           std::any_of(golden_runs().begin(), golden_runs().end(), [&](const GoldenRun& run) {
               const auto training = Training::create(run.config, run.dataset,
                                                      open_device(run.config.device).value());
               return (*training)->variants_used().contains(std::string(op));
           });
}

}  // namespace

void expect_every_variant_reproduces(std::string_view op, const DeviceInfo& device) {
    ASSERT_FALSE(golden_runs().empty());
    for (const std::string& variant : trainable_variants(op, device.kind)) {
        const std::string named = std::string(op) + " " + variant;
        int reproduced = 0;
        for (const GoldenRun& run : golden_runs()) {
            SCOPED_TRACE(named + " in " + run.name);
            TrainerConfig config = run.config;
            config.device = device;
            fuse_nothing(config);  // so that each operator runs
            config.variants.set(std::string(op), variant);
            reproduced += reproduce(run, config, op) ? 1 : 0;
        }
        EXPECT_TRUE(reproduced > 0 || !has_place(op)) << named << " has run nowhere";
    }
}

namespace {

using Variants = std::map<std::string, std::string>;  // of each operator one, or none

Variants set_of_variants(std::size_t index, DeviceKind device) {
    Variants set;
    for (const std::string& op : operators_on(device)) {
        const std::vector<std::string> variants = trainable_variants(op, device);
        if (index < variants.size()) {
            set[op] = variants[index];
        }
    }
    return set;
}

bool is_fused(const std::string& op) {
    return std::any_of(std::begin(fused_operators), std::end(fused_operators),
                       [&](const FusedOperator& fused) { return fused.op == op; });
}

// The run on a device by those of `wanted` that its model has use for; they go to `used`.
TrainerConfig config_with(const Variants& wanted, const GoldenRun& run, const DeviceInfo& device,
                          Variants& used) {
    TrainerConfig config = run.config;
    config.device = device;
    const auto try_variant = [&](const std::string& op, const std::string& variant) {
        TrainerConfig tried = config;
        tried.variants.set(op, variant);
        const auto made = Training::create(tried, run.dataset, open_device(device).value());
        if (made && (*made)->variants_used().contains(op)) {
            config = std::move(tried);
            used.insert_or_assign(op, variant);
        }
    };
    // First what is fused, since it can take its parts out.
    fuse_nothing(config);
    for (const FusedOperator& fused : fused_operators) {
        if (const auto fusing = wanted.find(std::string(fused.op)); fusing != wanted.end()) {
            try_variant(fusing->first, fusing->second);
        }
    }
    for (const auto& [op, variant] : wanted) {
        if (!is_fused(op)) {
            try_variant(op, variant);
        }
    }
    return config;
}

// Whether the model of any run has such a layer.
bool has_use_for(const std::vector<GoldenRun>& runs, const std::string& op,
                 const DeviceInfo& device) {
    return std::any_of(runs.begin(), runs.end(), [&](const GoldenRun& run) {
        Variants used;
        config_with({{op, "auto"}}, run, device, used);
        return !used.empty();
    });
}

// The run whose model has most kinds of layers; of several the one of least values.
const GoldenRun& richest_run(const DeviceInfo& device) {
    const auto rank = [&](const GoldenRun& run) {
        TrainerConfig config = run.config;
        config.device = device;
        const auto made = Training::create(config, run.dataset, open_device(device).value());
        const auto values = static_cast<std::int64_t>(run.dataset->train.pixels.size());
        return std::pair((*made)->variants_used().size(), -values);
    };
    const std::vector<GoldenRun>& runs = golden_runs();
    return *std::max_element(runs.begin(), runs.end(),
                             [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

}  // namespace

std::size_t sets_of_variants(DeviceKind device) {
    std::size_t most = 0;
    for (const std::string& op : operators_on(device)) {
        most = std::max(most, trainable_variants(op, device).size());
    }
    return most;
}

void expect_set_reproduces(std::size_t index, const DeviceInfo& device) {
    const std::vector<GoldenRun>& runs = golden_runs();
    ASSERT_FALSE(runs.empty());
    const Variants set = set_of_variants(index, device.kind);
    Variants missing = set;
    const auto reproduce_by = [&](const Variants& wanted, const GoldenRun& run) {
        Variants used;
        const TrainerConfig config = config_with(wanted, run, device, used);
        std::string by = run.name;
        for (const auto& [op, variant] : used) {
            by += fmt::format(", {} {}", op, variant);
            missing.erase(op);
        }
        SCOPED_TRACE(by);
        EXPECT_TRUE(reproduce(run, config, OptimizerUpdate::name));
    };
    const GoldenRun& richest = richest_run(device);
    reproduce_by(set, richest);
    for (std::size_t i = index; i < runs.size(); i += sets_of_variants(device.kind)) {
        if (&runs[i] != &richest) {
            reproduce_by(set, runs[i]);
        }
    }
    // What a fused one has taken out runs by itself.
    for (const GoldenRun& run : runs) {
        Variants used;
        config_with(missing, run, device, used);
        if (!used.empty()) {
            reproduce_by(missing, run);
        }
    }
    for (const auto& [op, variant] : missing) {
        EXPECT_FALSE(has_use_for(runs, op, device)) << op << " " << variant << " has run nowhere";
    }
}

std::vector<std::string> operators_on(DeviceKind device) {
    std::set<std::string> names;
    for (const VariantInfo& variant : list_variants(device)) {
        if (!variant.tool) {
            names.insert(variant.op);
        }
    }
    return {names.begin(), names.end()};
}

}  // namespace trainscope::testing
