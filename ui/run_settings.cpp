// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run_settings.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

#include "engine/core/device.h"
#include "engine/model/memory_plan.h"
#include "engine/model/model_spec.h"
#include "engine/train/limits.h"

namespace trainscope::ui {

namespace {

QString key(const char* name) {
    return QStringLiteral("run/") + QLatin1String(name);
}

std::int64_t readCount(const QSettings& settings, const char* name, std::int64_t standard,
                       std::int64_t least) {
    bool right = false;
    const std::int64_t value = settings.value(key(name)).toLongLong(&right);
    return right && value >= least ? value : standard;
}

std::string readText(const QSettings& settings, const char* name, const std::string& standard) {
    const QString value = settings.value(key(name)).toString();
    return value.isEmpty() ? standard : value.toStdString();
}

void loadDataset(const QSettings& settings, DatasetOptions& dataset) {
    const std::string name = readText(settings, "dataset", dataset.name);
    const auto& kinds = dataset_kinds();
    if (std::any_of(kinds.begin(), kinds.end(),
                    [&](const DatasetKind& kind) { return kind.name == name; })) {
        dataset.name = name;
    }
    dataset.folder = readText(settings, "folder", {});
    dataset.train_count = readCount(settings, "train_count", 0, 0);
    dataset.test_count = readCount(settings, "test_count", 0, 0);
    dataset.classes = readCount(settings, "classes", dataset.classes, 2);
    dataset.soft_labels = settings.value(key("soft_labels"), false).toBool();
    const std::string shape = settings.value(key("sample_shape")).toString().toStdString();
    if (const auto sizes = read_sizes(shape, largest_dimension); sizes.size() == 3) {
        dataset.sample = Shape(sizes);
    }
}

void saveDataset(QSettings& settings, const DatasetOptions& dataset) {
    settings.setValue(key("dataset"), QString::fromStdString(dataset.name));
    settings.setValue(key("folder"), QString::fromStdString(dataset.folder.string()));
    settings.setValue(key("train_count"), static_cast<qlonglong>(dataset.train_count));
    settings.setValue(key("test_count"), static_cast<qlonglong>(dataset.test_count));
    settings.setValue(key("classes"), static_cast<qlonglong>(dataset.classes));
    settings.setValue(key("soft_labels"), dataset.soft_labels);
    QString shape;
    if (dataset.sample.rank() == 3) {
        shape = QStringLiteral("%1x%2x%3")
                    .arg(dataset.sample[0])
                    .arg(dataset.sample[1])
                    .arg(dataset.sample[2]);
    }
    settings.setValue(key("sample_shape"), shape);
}

void loadKnobs(const QSettings& settings, RunSettings& run) {
    run.micro_batch = readCount(settings, "micro_batch", run.micro_batch, 1);
    run.accumulation =
        std::min(readCount(settings, "accumulation", run.accumulation, 1), largest_accumulation);
    run.evaluation_interval = readCount(settings, "evaluation_interval", 0, 0);
    const std::int64_t budget = readCount(settings, "memory_budget", 0, 0);
    run.memory_budget = budget > 0 ? std::optional(budget) : std::nullopt;
    const std::string optimizer = readText(settings, "optimizer", "");
    for (const OptimizerKind kind : all_optimizers) {
        if (name_of(kind) == optimizer) {
            run.optimizer.kind = kind;
        }
    }
    const float rate = settings.value(key("learning_rate"), run.optimizer.learning_rate).toFloat();
    if (std::isfinite(rate) && rate > 0) {
        run.optimizer.learning_rate = rate;
    }
    for (const QString& pair : settings.value(key("variants")).toStringList()) {
        const QStringList parts = pair.split(QLatin1Char('='));
        if (parts.size() == 2) {
            run.variants.set(parts[0].toStdString(), parts[1].toStdString());
        }
    }
}

void saveKnobs(QSettings& settings, const RunSettings& run) {
    settings.setValue(key("micro_batch"), static_cast<qlonglong>(run.micro_batch));
    settings.setValue(key("accumulation"), static_cast<qlonglong>(run.accumulation));
    settings.setValue(key("evaluation_interval"), static_cast<qlonglong>(run.evaluation_interval));
    settings.setValue(key("memory_budget"), static_cast<qlonglong>(run.memory_budget.value_or(0)));
    settings.setValue(key("optimizer"), QString::fromUtf8(name_of(run.optimizer.kind)));
    settings.setValue(key("learning_rate"), static_cast<double>(run.optimizer.learning_rate));
    QStringList variants;
    for (const auto& [op, variant] : run.variants.names()) {
        variants << QString::fromStdString(op) + QLatin1Char('=') + QString::fromStdString(variant);
    }
    settings.setValue(key("variants"), variants);
}

}  // namespace

bool sameDataset(const DatasetOptions& a, const DatasetOptions& b) {
    return a.name == b.name && a.folder == b.folder && a.seed == b.seed &&
           a.train_count == b.train_count && a.test_count == b.test_count && a.sample == b.sample &&
           a.classes == b.classes && a.soft_labels == b.soft_labels && a.mean == b.mean &&
           a.stddev == b.stddev;
}

DeviceInfo deviceOf(const RunSettings& settings) {
    const Result<DeviceInfo> device = find_device(settings.device);
    return device ? *device : cpu_device();
}

Result<TrainerConfig> makeConfig(const RunSettings& settings) {
    Result<ModelSpec> model = find_model(settings.model);
    if (!model) {
        return make_error(std::move(model.error()));
    }
    Result<DeviceInfo> device = find_device(settings.device);
    if (!device) {
        return make_error(std::move(device.error()));
    }
    TrainerConfig config;
    config.optimizer = model->optimizer;  // betas and the like are the model's
    config.optimizer.kind = settings.optimizer.kind;
    config.optimizer.learning_rate = settings.optimizer.learning_rate;
    config.model = std::move(*model);
    config.device = std::move(*device);
    config.threads = settings.threads;
    config.seed = settings.seed;
    config.micro_batch = settings.micro_batch;
    config.accumulation = settings.accumulation;
    config.variants = settings.variants;
    config.memory_budget = settings.memory_budget;
    config.epochs = settings.epochs;
    config.evaluation_interval = settings.evaluation_interval;
    return config;
}

std::unique_ptr<QSettings> openSettings(const QString& file) {
    return file.isEmpty() ? std::make_unique<QSettings>(QStringLiteral("Trainscope"),
                                                        QStringLiteral("Trainscope"))
                          : std::make_unique<QSettings>(file, QSettings::IniFormat);
}

RunSettings loadRunSettings(const QSettings& settings) {
    RunSettings run;
    run.model = readText(settings, "model", run.model);
    run.device = readText(settings, "device", run.device);
    run.threads = static_cast<int>(
        std::min<std::int64_t>(readCount(settings, "threads", 0, 0), most_threads));
    run.seed = static_cast<std::uint64_t>(readCount(settings, "seed", 1, 0));
    run.epochs = readCount(settings, "epochs", 0, 0);
    loadDataset(settings, run.dataset);
    run.dataset.seed = run.seed;
    if (!settings.contains(key("optimizer"))) {
        if (const auto model = find_model(run.model)) {
            run.optimizer = model->optimizer;
        }
    }
    loadKnobs(settings, run);
    return run;
}

void saveRunSettings(QSettings& settings, const RunSettings& run) {
    settings.setValue(key("model"), QString::fromStdString(run.model));
    settings.setValue(key("device"), QString::fromStdString(run.device));
    settings.setValue(key("threads"), run.threads);
    settings.setValue(key("seed"), static_cast<qulonglong>(run.seed));
    settings.setValue(key("epochs"), static_cast<qlonglong>(run.epochs));
    saveDataset(settings, run.dataset);
    saveKnobs(settings, run);
}

}  // namespace trainscope::ui
