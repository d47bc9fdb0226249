// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/charts_run.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace trainscope::ui {
namespace {

constexpr double epoch_samples = 10'000;

double& field(StepSample& sample, Metric metric) {
    return sample[static_cast<std::size_t>(metric)];
}

Annotation annotationAt(const StepSample& at, const char* what, const char* from, const char* to) {
    Annotation annotation;
    annotation.step = at[static_cast<std::size_t>(Metric::step)];
    annotation.samples = at[static_cast<std::size_t>(Metric::samples)];
    annotation.epoch = at[static_cast<std::size_t>(Metric::epoch)];
    annotation.active_seconds = at[static_cast<std::size_t>(Metric::active_seconds)];
    annotation.what = what;
    annotation.from = from;
    annotation.to = to;
    return annotation;
}

}  // namespace

StepSample stepSample(std::size_t index, double samples, double batch, double active_seconds) {
    StepSample s{};
    const double kib = 1024;
    field(s, Metric::step) = static_cast<double>(index + 1);
    field(s, Metric::samples) = samples;
    field(s, Metric::epoch) = samples / epoch_samples;
    field(s, Metric::active_seconds) = active_seconds;
    field(s, Metric::loss) = 2.3 * std::exp(-samples / 6e4);
    field(s, Metric::batch_samples) = batch;
    field(s, Metric::micro_batch) = batch;
    field(s, Metric::accumulation) = 1;
    const double seconds = 0.0006 + batch * 0.00004;
    field(s, Metric::samples_per_second) = batch / seconds;
    field(s, Metric::data_seconds) = seconds * 0.06;
    field(s, Metric::forward_seconds) = seconds * 0.34;
    field(s, Metric::backward_seconds) = seconds * 0.52;
    field(s, Metric::optimizer_seconds) = seconds * 0.08;
    field(s, Metric::learning_rate) = 0.05;
    field(s, Metric::gradient_norm) = 0.4 + field(s, Metric::loss);
    field(s, Metric::memory_parameters) = 1200 * kib;
    field(s, Metric::memory_gradients) = 1200 * kib;
    field(s, Metric::memory_optimizer_state) = 1200 * kib;
    field(s, Metric::memory_activations) = batch * 62 * kib;
    field(s, Metric::memory_workspace) = 900 * kib;
    field(s, Metric::memory_input) = batch * 6 * kib;
    field(s, Metric::memory_peak) = (4700 + batch * 74) * kib;
    return s;
}

std::shared_ptr<Telemetry> plainRun(std::size_t steps) {
    auto telemetry = std::make_shared<Telemetry>();
    for (std::size_t i = 0; i < steps; ++i) {
        const auto step = static_cast<double>(i + 1);
        telemetry->append(stepSample(i, step * 32, 32, step * 0.002));
    }
    return telemetry;
}

std::shared_ptr<Telemetry> realisticRun(std::size_t steps) {
    auto telemetry = std::make_shared<Telemetry>();
    std::mt19937 random(11);
    std::normal_distribution<double> noise(0, 1);
    double samples = 0, active = 0, batch = 32, evaluated = 0;
    for (std::size_t i = 0; i < steps; ++i) {
        const double done = static_cast<double>(i) / static_cast<double>(steps);
        const double next = done < 0.35 ? 32 : done < 0.7 ? 64 : 128;
        if (next != batch) {
            telemetry->append(annotationAt(stepSample(i, samples, batch, active), "micro_batch",
                                           batch == 32 ? "32" : "64", next == 64 ? "64" : "128"));
        }
        if (i == steps * 88 / 100) {
            Annotation refused =
                annotationAt(stepSample(i, samples, batch, active), "micro_batch", "128", "8192");
            refused.refused = true;
            refused.reason = "512 MiB of activations do not fit the budget of 32 MiB";
            telemetry->append(refused);
        }
        batch = next;
        samples += batch;
        StepSample s = stepSample(i, samples, batch, active);
        double seconds = 0;
        for (const Metric phase : {Metric::data_seconds, Metric::forward_seconds,
                                   Metric::backward_seconds, Metric::optimizer_seconds}) {
            double& value = field(s, phase);
            value *= std::exp(0.12 * noise(random)) * (i == 0 ? 40 : i % 611 == 7 ? 3 : 1);
            seconds += value;
        }
        active += seconds;
        field(s, Metric::active_seconds) = active;
        field(s, Metric::samples_per_second) = batch / seconds;
        const double spread = 1.3 / std::sqrt(batch);
        field(s, Metric::loss) =
            0.09 + field(s, Metric::loss) * std::exp(spread * 1.6 * noise(random));
        field(s, Metric::gradient_norm) *= std::exp(0.25 * noise(random));
        telemetry->append(s);
        if (samples - evaluated >= epoch_samples) {
            evaluated = samples;
            EvaluationSample e;
            e.step = field(s, Metric::step);
            e.samples = samples;
            e.epoch = samples / epoch_samples;
            e.active_seconds = active;
            e.loss = 0.13 + 2.2 * std::exp(-samples / 5.6e4) + 0.02 * noise(random);
            e.accuracy = 0.972 - 0.85 * std::exp(-samples / 2.6e4) + 0.003 * noise(random);
            telemetry->append(e);
        }
    }
    return telemetry;
}

}  // namespace trainscope::ui
