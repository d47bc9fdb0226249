// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that the device has done become telemetry.
#include <cmath>
#include <cstddef>
#include <span>

#include "engine/core/format.h"
#include "engine/train/training.h"

namespace trainscope {

namespace {

double& field(StepSample& sample, Metric metric) {
    return sample[static_cast<std::size_t>(metric)];
}

}  // namespace

StepSample Training::sample_of(const Window& window) const {
    StepSample sample{};
    const auto put = [&](Metric metric, double value) { field(sample, metric) = value; };
    using enum Metric;
    put(step, static_cast<double>(step_));
    put(samples, static_cast<double>(samples_));
    put(epoch, static_cast<double>(samples_) / static_cast<double>(dataset_->train.count));
    put(batch_samples, static_cast<double>(window.samples));
    put(micro_batch, static_cast<double>(knobs_.micro_batch));
    put(accumulation, static_cast<double>(knobs_.accumulation));
    put(learning_rate, learning_rate_);
    for (const MemoryCategory category : all_memory_categories) {
        sample[static_cast<std::size_t>(memory_parameters) + static_cast<std::size_t>(category)] =
            static_cast<double>(arena_.in_use()[category]);
    }
    put(memory_peak, static_cast<double>(arena_.peak()));
    return sample;
}

void Training::settle() {
    queue_.wait_for_all();
    feed_.all_done();
    collect();
}

void Training::collect() {
    while (const FinishedStep* const step = queue_.take()) {
        // What a device gives after it has failed is nothing.
        if (!device_works()) {
            return;
        }
        record(*step);
    }
    device_works();
}

bool Training::device_works() {
    if (!failure_.empty()) {
        return false;
    }
    const Result<void> status = runtime_->status();
    if (!status) {
        // Steps that it had not done are none.
        step_ = recorded_steps_;
        samples_ = recorded_samples_;
        fail(status.error().message);
    }
    return status.has_value();
}

void Training::record(const FinishedStep& finished) {
    StepSample sample = finished.sample;
    const double n = field(sample, Metric::batch_samples);
    const double seconds = finished.total_seconds();
    active_seconds_ += seconds;
    using enum Metric;
    field(sample, active_seconds) = active_seconds_;
    field(sample, loss) = finished.results.totals.loss_sum / n;
    field(sample, gradient_norm) = std::sqrt(finished.results.squared_norm);
    field(sample, samples_per_second) = n / seconds;
    for (std::size_t phase = 0; phase < phase_count; ++phase) {
        sample[static_cast<std::size_t>(data_seconds) + phase] = finished.seconds[phase];
    }
    recorded_steps_ = static_cast<std::int64_t>(field(sample, Metric::step));
    recorded_samples_ = static_cast<std::int64_t>(field(sample, Metric::samples));
    notice_loss(sample, field(sample, loss));
    if (config_.record_steps) {
        telemetry_->append(sample);
        const std::span<const double> times = operator_timer_.take(recorded_steps_);
        if (!times.empty()) {
            telemetry_->operator_times().append(field(sample, step), times);
        }
    }
}

void Training::notice_loss(const StepSample& step, double loss) {
    if (std::isfinite(loss) || !loss_was_finite_) {
        return;
    }
    loss_was_finite_ = false;
    const auto at = [&](Metric metric) { return step[static_cast<std::size_t>(metric)]; };
    Annotation annotation;
    annotation.step = at(Metric::step);
    annotation.samples = at(Metric::samples);
    annotation.epoch = at(Metric::epoch);
    annotation.active_seconds = at(Metric::active_seconds);
    const char* const value = std::isnan(loss) ? "NaN" : "infinite";
    annotation.kind = AnnotationKind::event;
    annotation.what = fmt::format("loss {}", value);
    annotation.reason = fmt::format("loss became {}; a smaller learning rate may help", value);
    telemetry_->append(std::move(annotation));
}

}  // namespace trainscope
