// SPDX-License-Identifier: GPL-3.0-or-later
// The step loop's body and the evaluation. No allocation and no lock once the kernels of a batch
// size are made, but for the loader's own hand-over.
#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "engine/core/format.h"
#include "engine/train/training.h"

namespace trainscope {

bool Training::step(const Interrupted& interrupted) {
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
    contiguous_ = true;
    ++step_;
    samples_ += window.samples;
    queue_.end_step(sample_of(window), network_->results());
    notice_recording_failure();
    collect();
    return true;
}

void Training::begin_step() {
    while (queue_.full()) {
        queue_.wait_for_oldest();
        collect();
    }
    telemetry_->make_room(StepQueue::most_steps);  // what cannot be recorded is not done
    time_operators_ = config_.record_steps && network_->is_warm() &&
                      operator_timer_.due(network_->memory().plan, step_ + 1,
                                          recorder_.is_on() ? OperatorTimer::replays : 0);
    if (time_operators_) {
        telemetry_->operator_times().make_room();
    }
    if (!contiguous_) {
        queue_.begin();
    }
    runtime_->copy(state_.kept_running.data(), state_.running.data(), state_.running.bytes());
    dropped_samples_ = 0;
    begin_again_ = false;
    in_step_ = true;
    runtime_->clear(network_->results(), static_cast<std::int64_t>(sizeof(StepResults)));
}

// A window that is not whole has changed nothing but batch norm's running values.
void Training::abandon(const Window& window) {
    runtime_->copy(state_.running.data(), state_.kept_running.data(), state_.running.bytes());
    in_step_ = false;
    dropped_samples_ = window.samples;
    queue_.drop_phases();
    operator_timer_.drop();
    break_time();
    settle();
    loader_->restart(position_);
}

void Training::rest() {
    queue_.end_phase(phase_);
    operator_timer_.drop();
    settle();
}

void Training::annotate_dropped() {
    if (dropped_samples_ > 0) {
        annotate(AnnotationKind::event, "stopped",
                 fmt::format("stopped within an accumulation window: {} samples seen after the "
                             "last optimizer step were not learnt",
                             format_count(dropped_samples_)));
    }
}

bool Training::run_window(Window& window, const Interrupted& interrupted) {
    while (window.micro_batches < knobs_.accumulation && !window.epoch_ended) {
        phase_ = Phase::data;
        if (interrupted()) {
            return false;
        }
        feed_.wait_for_room();
        const Batch batch = loader_->next(feed_.kept());
        const BatchSlot& tensors = feed_.bring(*batch.slot, batch.size);
        queue_.end_phase(std::exchange(phase_, Phase::forward));
        if (time_operators_ && window.micro_batches == 0 && batch.size == knobs_.micro_batch) {
            operator_timer_.begin(network_->memory().plan, step_ + 1);
        }
        if (!network_->forward(tensors, batch.size, operator_timer_, interrupted)) {
            return false;
        }
        queue_.end_phase(std::exchange(phase_, Phase::backward));
        if (!network_->backward(window.micro_batches > 0, operator_timer_, interrupted)) {
            return false;
        }
        const DeviceRuntime::Mark done = queue_.end_phase(phase_);
        feed_.used_until(done);
        operator_timer_.end();
        operator_timer_.collect(done);
        window.samples += batch.size;
        ++window.micro_batches;
        window.end = batch.end;
        window.epoch_ended = batch.last_of_epoch;
    }
    return true;
}

void Training::update(const Window& window) {
    ++optimizer_step_;
    OptimizerUpdate::Args args{.settings = knobs_.optimizer,
                               .step = optimizer_step_,
                               .samples = static_cast<double>(window.samples),
                               .parameters = state_.parameters.floats(),
                               .gradients = state_.gradients.floats(),
                               .state0 = state_.state0.floats(),
                               .state1 = state_.state1.floats(),
                               .squared_norm = &network_->results()->squared_norm,
                               .workspace = network_->workspace()};
    if (OptimizerStep* const values = network_->optimizer_step(); values != nullptr) {
        queue_.bring(OptimizerStep(args), values);
        args.values = values;
    }
    recorded_update_.run(recorder_, [&] { optimizer_kernel_->run(args); });
}

bool Training::evaluation_due() const {
    if (dataset_->test.count == 0) {
        return false;
    }
    // A run that ends within an epoch is not left without a result.
    return finished() || (knobs_.evaluation_interval > 0 ? step_ % knobs_.evaluation_interval == 0
                                                         : epoch_ended_);
}

bool Training::evaluate(const Interrupted& interrupted) {
    const auto begin = std::chrono::steady_clock::now();
    break_time();
    settle();
    // The test samples pass through the loader's slots, and it starts again afterwards.
    loader_->pause();
    std::int64_t done = 0;
    StepResults results;
    runtime_->clear(network_->results(), static_cast<std::int64_t>(sizeof results));
    try {
        done = evaluate_batches(interrupted);
    } catch (...) {
        settle();
        loader_->restart(position_);
        throw;
    }
    runtime_->download(&results, network_->results(), static_cast<std::int64_t>(sizeof results));
    settle();
    loader_->restart(position_);
    const std::int64_t count = dataset_->test.count;
    if (done < count || !failure_.empty()) {
        return false;
    }
    const auto samples = static_cast<double>(count);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    telemetry_->append(EvaluationSample{
        .step = static_cast<double>(step_),
        .samples = static_cast<double>(samples_),
        .epoch = static_cast<double>(samples_) / static_cast<double>(dataset_->train.count),
        .active_seconds = active_seconds_,
        .loss = results.totals.loss_sum / samples,
        .accuracy = static_cast<double>(results.totals.correct) / samples,
        .seconds = seconds.count()});
    return true;
}

// Adds up over the first samples, whose number it returns: all of them, unless it was interrupted.
std::int64_t Training::evaluate_batches(const Interrupted& interrupted) {
    const std::int64_t count = dataset_->test.count;
    std::vector<std::int64_t> indices(
        static_cast<std::size_t>(std::min(count, knobs_.micro_batch)));
    std::int64_t done = 0;
    for (std::size_t slot = 0; done < count && !interrupted(); ++slot) {
        const std::int64_t n = std::min(knobs_.micro_batch, count - done);
        const std::span<std::int64_t> batch(indices.data(), static_cast<std::size_t>(n));
        std::iota(batch.begin(), batch.end(), done);
        feed_.wait_for_room();
        const BatchSlot& filled = feed_.slots()[slot % feed_.slots().size()];
        dataset_->read(Split::test, batch, filled.samples, filled.labels, filled.targets);
        if (!network_->evaluate(feed_.bring(filled, n), n, interrupted)) {
            break;
        }
        feed_.used_until(runtime_->mark());
        done += n;
    }
    return done;
}

bool Training::finished() const {
    return (config_.epochs > 0 && position_.epoch >= config_.epochs) ||
           (config_.max_steps > 0 && step_ >= config_.max_steps);
}

}  // namespace trainscope
