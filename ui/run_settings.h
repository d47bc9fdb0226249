// SPDX-License-Identifier: GPL-3.0-or-later
// What a person chose for a training: setup and knobs as one value, and how it is remembered.
#pragma once

#include <QSettings>
#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/core/result.h"
#include "engine/data/dataset.h"
#include "engine/model/variant_choice.h"
#include "engine/ops/optimizer.h"
#include "engine/train/trainer.h"

namespace trainscope::ui {

struct RunSettings {
    DatasetOptions dataset;
    std::string model = "simple-cnn";  // a preset, or a JSON file
    std::string device = "auto";
    int threads = 0;  // 0: as many as the device has
    std::uint64_t seed = 1;
    std::int64_t epochs = 0;  // 0: until stopped

    // The knobs a training begins with.
    std::int64_t micro_batch = 32;
    std::int64_t accumulation = 1;
    OptimizerSettings optimizer;
    VariantChoice variants;
    std::optional<std::int64_t> memory_budget;
    std::int64_t evaluation_interval = 0;  // steps; 0: at the end of each epoch
};

// The same data set, so that an opened one can be used again.
bool sameDataset(const DatasetOptions& a, const DatasetOptions& b);

// The device that is chosen; the CPU where that one is not there.
DeviceInfo deviceOf(const RunSettings& settings);

// The trainer's configuration of these settings. Errors: those of find_model and find_device.
Result<TrainerConfig> makeConfig(const RunSettings& settings);

// The user's own settings where `file` is empty, else that INI file.
std::unique_ptr<QSettings> openSettings(const QString& file);
// What is missing or makes no sense is left at its default.
RunSettings loadRunSettings(const QSettings& settings);
void saveRunSettings(QSettings& settings, const RunSettings& run);

}  // namespace trainscope::ui
