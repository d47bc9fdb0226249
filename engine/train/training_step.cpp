// SPDX-License-Identifier: GPL-3.0-or-later
// The step loop's body and the evaluation. No allocation and no lock once the kernels of a batch
// size are made, but for the loader's own hand-over.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/format.h"
#include "engine/train/training.h"

namespace trainscope {

namespace {

double seconds_between(std::chrono::steady_clock::time_point begin,
                       std::chrono::steady_clock::time_point end) {
    return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

bool Training::step(const Interrupted& interrupted) {
    const Clock::time_point begin = contiguous_ ? step_end_ : now();
    begin_step();
    Window window;
    if (!run_window(window, [&] { return interrupted() || begin_again_; })) {
        abandon(window);
        return false;
    }
    update(window);
    in_step_ = false;
    position_ = window.end;
    epoch_ended_ = window.epoch_ended;
    step_end_ = now();
    contiguous_ = true;
    const double seconds = seconds_between(begin, step_end_);
    ++step_;
    samples_ += window.samples;
    active_seconds_ += seconds;
    record(window, seconds);
    return true;
}

void Training::begin_step() {
    telemetry_->make_room();  // what cannot be recorded is not done
    std::copy_n(state_.running.floats(), kept_running_.size(), kept_running_.data());
    dropped_samples_ = 0;
    begin_again_ = false;
    in_step_ = true;
    *network_->results() = {};
}

// A window that is not whole has changed nothing but batch norm's running values.
void Training::abandon(const Window& window) {
    std::copy_n(kept_running_.data(), kept_running_.size(), state_.running.floats());
    in_step_ = false;
    dropped_samples_ = window.samples;
    break_time();
    loader_->restart(position_);
}

void Training::annotate_dropped() {
    if (dropped_samples_ > 0) {
        annotate(
            fmt::format("stopped within an accumulation window: {} samples seen after the "
                        "last optimizer step were not learnt",
                        format_count(dropped_samples_)));
    }
}

bool Training::run_window(Window& window, const Interrupted& interrupted) {
    while (window.micro_batches < knobs_.accumulation && !window.epoch_ended) {
        const Clock::time_point begin = now();
        if (interrupted()) {
            return false;
        }
        const Batch batch = loader_->next();
        const Clock::time_point loaded = now();
        const bool forward = network_->forward(*batch.slot, batch.size, interrupted);
        const Clock::time_point seen = now();
        if (!forward || !network_->backward(window.micro_batches > 0, interrupted)) {
            return false;
        }
        const Clock::time_point learnt = now();
        window.data_seconds += seconds_between(begin, loaded);
        window.forward_seconds += seconds_between(loaded, seen);
        window.backward_seconds += seconds_between(seen, learnt);
        window.samples += batch.size;
        ++window.micro_batches;
        window.end = batch.end;
        window.epoch_ended = batch.last_of_epoch;
    }
    return true;
}

void Training::update(Window& window) {
    const Clock::time_point begin = now();
    ++optimizer_step_;
    optimizer_kernel_->run({.settings = knobs_.optimizer,
                            .step = optimizer_step_,
                            .samples = static_cast<double>(window.samples),
                            .parameters = state_.parameters.floats(),
                            .gradients = state_.gradients.floats(),
                            .state0 = state_.state0.floats(),
                            .state1 = state_.state1.floats(),
                            .squared_norm = &network_->results()->squared_norm,
                            .workspace = network_->workspace()});
    window.optimizer_seconds = seconds_between(begin, now());
}

void Training::record(const Window& window, double seconds) {
    const auto n = static_cast<double>(window.samples);
    const StepResults& results = *network_->results();
    const double mean_loss = results.totals.loss_sum / n;
    notice_loss(mean_loss);
    if (!config_.record_steps) {
        return;
    }
    StepSample sample{};
    const auto put = [&](Metric metric, double value) {
        sample[static_cast<std::size_t>(metric)] = value;
    };
    using enum Metric;
    put(step, static_cast<double>(step_));
    put(samples, static_cast<double>(samples_));
    put(epoch, static_cast<double>(samples_) / static_cast<double>(dataset_->train.count));
    put(active_seconds, active_seconds_);
    put(loss, mean_loss);
    put(batch_samples, n);
    put(micro_batch, static_cast<double>(knobs_.micro_batch));
    put(accumulation, static_cast<double>(knobs_.accumulation));
    put(samples_per_second, n / seconds);
    put(data_seconds, window.data_seconds);
    put(forward_seconds, window.forward_seconds);
    put(backward_seconds, window.backward_seconds);
    put(optimizer_seconds, window.optimizer_seconds);
    put(learning_rate, learning_rate_);
    put(gradient_norm, std::sqrt(results.squared_norm));
    for (const MemoryCategory category : all_memory_categories) {
        sample[static_cast<std::size_t>(memory_parameters) + static_cast<std::size_t>(category)] =
            static_cast<double>(arena_.in_use()[category]);
    }
    put(memory_peak, static_cast<double>(arena_.peak()));
    telemetry_->append(sample);
}

void Training::notice_loss(double loss) {
    if (std::isfinite(loss) || !loss_was_finite_) {
        return;
    }
    loss_was_finite_ = false;
    annotate(fmt::format("loss became {}; a smaller learning rate may help",
                         std::isnan(loss) ? "NaN" : "infinite"));
}

bool Training::evaluation_due() const {
    if (dataset_->test.count == 0) {
        return false;
    }
    return knobs_.evaluation_interval > 0 ? step_ % knobs_.evaluation_interval == 0 : epoch_ended_;
}

bool Training::evaluate(const Interrupted& interrupted) {
    const Clock::time_point begin = Clock::now();
    break_time();
    // The test samples pass through a slot of the loader's, which starts again afterwards.
    loader_->pause();
    std::int64_t done = 0;
    *network_->results() = {};
    try {
        done = evaluate_batches(interrupted);
    } catch (...) {
        loader_->restart(position_);
        throw;
    }
    loader_->restart(position_);
    const std::int64_t count = dataset_->test.count;
    if (done < count) {
        return false;
    }
    const auto samples = static_cast<double>(count);
    const SoftmaxCrossEntropy::Totals sums = network_->results()->totals;
    telemetry_->append(EvaluationSample{
        .step = static_cast<double>(step_),
        .samples = static_cast<double>(samples_),
        .epoch = static_cast<double>(samples_) / static_cast<double>(dataset_->train.count),
        .active_seconds = active_seconds_,
        .loss = sums.loss_sum / samples,
        .accuracy = static_cast<double>(sums.correct) / samples,
        .seconds = seconds_between(begin, Clock::now())});
    return true;
}

// Adds up over the first samples, whose number it returns: all of them, unless it was interrupted.
std::int64_t Training::evaluate_batches(const Interrupted& interrupted) {
    const BatchSlot slot = slots_.front();
    const std::int64_t count = dataset_->test.count;
    std::vector<std::int64_t> indices(
        static_cast<std::size_t>(std::min(count, knobs_.micro_batch)));
    std::int64_t done = 0;
    while (done < count && !interrupted()) {
        const std::int64_t n = std::min(knobs_.micro_batch, count - done);
        const std::span<std::int64_t> batch(indices.data(), static_cast<std::size_t>(n));
        std::iota(batch.begin(), batch.end(), done);
        dataset_->read(Split::test, batch, slot.samples, slot.labels, slot.targets);
        if (!network_->evaluate(slot, n, interrupted)) {
            break;
        }
        done += n;
    }
    return done;
}

bool Training::finished() const {
    return (config_.epochs > 0 && position_.epoch >= config_.epochs) ||
           (config_.max_steps > 0 && step_ >= config_.max_steps);
}

}  // namespace trainscope
