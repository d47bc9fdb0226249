// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/trainer_thread.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace trainscope {

Trainer::Implementation::Implementation(std::unique_ptr<Training> training)
    : training_(std::move(training)), paused_(training_->config().start_paused) {
    publish_knobs();
    publish_progress(paused_ ? TrainerState::paused : TrainerState::running);
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

CommandId Trainer::Implementation::send(CommandBody body) {
    const std::lock_guard lock(mutex_);
    const CommandId id = ++last_id_;
    if (done_) {
        refuse_after_end(id);
        return id;
    }
    if (std::holds_alternative<Stop>(body)) {
        stop_asked_.store(true, std::memory_order_release);
    }
    queue_.push_back({.id = id, .body = std::move(body)});
    pending_.store(true, std::memory_order_release);
    make_room_for_answers();
    wake_.notify_all();
    return id;
}

// Here, so that the training's thread need not find memory to answer.
void Trainer::Implementation::make_room_for_answers() {
    answers_.reserve(answers_.size() + queue_.size() + 1);
}

void Trainer::Implementation::refuse_after_end(CommandId id) {
    {
        const std::lock_guard lock(status_mutex_);
        ++status_.revision;
    }
    answers_.push_back({.id = id,
                        .applied = false,
                        .step = progress_.read().step,
                        .reason = "The training has ended; start a new one."});
}

std::vector<CommandAnswer> Trainer::Implementation::take_answers() {
    const std::lock_guard lock(mutex_);
    std::vector<CommandAnswer> taken = std::exchange(answers_, {});
    make_room_for_answers();
    return taken;
}

TrainerStatus Trainer::Implementation::status() const {
    // First, so that a training seen as failed has its reason.
    const Progress progress = progress_.read();
    TrainerStatus status;
    {
        const std::lock_guard lock(status_mutex_);
        status = status_;
    }
    status.state = static_cast<TrainerState>(progress.state);
    status.step = progress.step;
    status.samples = progress.samples;
    status.epoch = progress.epoch;
    status.epoch_offset = progress.epoch_offset;
    status.active_seconds = progress.active_seconds;
    if (progress.device_total > 0) {
        status.device_memory = MemoryReport{.total = progress.device_total,
                                            .available = progress.device_available,
                                            .reserved = progress.device_reserved};
    }
    return status;
}

void Trainer::Implementation::wait() {
    std::unique_lock lock(mutex_);
    rested_.wait(lock, [&] { return resting_ && (done_ || queue_.empty()); });
}

void Trainer::Implementation::run(const std::stop_token& stop) {
    stop_ = stop;
    TrainerState end = TrainerState::failed;
    try {
        training_->attach_thread();
        end = train(stop);
        training_->settle();
        if (!training_->failure().empty()) {
            end = TrainerState::failed;
        }
    } catch (const std::bad_alloc&) {
        fail("The training ran out of memory. What it recorded is still there.");
    } catch (const std::exception& error) {
        fail(error.what());  // a programming fault, or oneDNN's
    } catch (...) {
        fail("The training ended for a reason that it did not tell.");
    }
    finish(end);
}

TrainerState Trainer::Implementation::train(const std::stop_token& stop) {
    const Interrupted gives_up = [this] { return gives_up_step(); };
    while (!stop.stop_requested()) {
        if (pending_.load(std::memory_order_acquire)) {
            training_->settle();
            take_commands();
        }
        if (unpublished_) {
            try_to_publish_knobs();
        }
        if (!training_->failure().empty()) {
            return TrainerState::failed;
        }
        if (stopped_) {
            return TrainerState::stopped;
        }
        if (training_->finished()) {
            return TrainerState::finished;
        }
        if (paused_) {
            rest();
            continue;
        }
        if (!training_->step(gives_up)) {
            continue;  // to what it was given up for
        }
        publish_progress(TrainerState::running);
        if (training_->evaluation_due()) {
            evaluate_when_due();
        }
        if (single_step_) {
            set_run(true, false);
        }
    }
    return TrainerState::stopped;
}

void Trainer::Implementation::rest() {
    training_->break_time();
    training_->settle();
    wait_for_command();
}

void Trainer::Implementation::wait_for_command() {
    std::unique_lock lock(mutex_);
    if (queue_.empty()) {
        publish_progress(TrainerState::paused);
        resting_ = true;
        rested_.notify_all();
        wake_.wait(lock, stop_, [&] { return !queue_.empty(); });
        resting_ = false;
    }
}

bool Trainer::Implementation::gives_up_step() {
    while (!stop_.stop_requested() && !stop_asked_.load(std::memory_order_acquire)) {
        switch (next_in_step()) {
            case Next::nothing:
                return false;
            case Next::wait: {
                training_->rest();
                wait_for_command();
                training_->go_on();
                break;
            }
            case Next::take:
                take_one();
                break;
            case Next::give_up:
                return true;
        }
    }
    return true;
}

// Only what makes the step wait or go on is taken in its middle. Knobs are turned between steps:
// while it runs they wait for its end, but nobody who paused it should have to wait.
Trainer::Implementation::Next Trainer::Implementation::next_in_step() {
    if (!paused_ && !pending_.load(std::memory_order_acquire)) {
        return Next::nothing;
    }
    const std::lock_guard lock(mutex_);
    if (queue_.empty()) {
        return paused_ ? Next::wait : Next::nothing;
    }
    const CommandBody& first = queue_.front().body;
    if (std::holds_alternative<Pause>(first) || std::holds_alternative<Resume>(first) ||
        (paused_ && std::holds_alternative<SingleStep>(first))) {
        return Next::take;
    }
    const bool pauses = std::ranges::any_of(
        queue_, [](const Command& command) { return std::holds_alternative<Pause>(command.body); });
    return paused_ || pauses ? Next::give_up : Next::nothing;
}

void Trainer::Implementation::take_commands() {
    while (!stopped_ && training_->failure().empty()) {
        {
            const std::lock_guard lock(mutex_);
            if (queue_.empty()) {
                pending_.store(false, std::memory_order_release);
                return;
            }
        }
        take_one();
    }
}

void Trainer::Implementation::take_one() {
    Command command;
    {
        const std::lock_guard lock(mutex_);
        command = std::move(queue_.front());
        queue_.pop_front();
    }
    Result<void> result = apply(command.body);
    try_to_publish_knobs();
    const std::lock_guard lock(mutex_);
    answers_.push_back({.id = command.id,
                        .applied = result.has_value(),
                        .step = training_->steps(),
                        .reason = result ? std::string() : std::move(result.error().message)});
}

Result<void> Trainer::Implementation::apply(const CommandBody& body) {
    try {
        return std::visit([&](const auto& command) { return apply_one(command); }, body);
    } catch (const std::bad_alloc&) {
        return make_error(ErrorCode::out_of_memory,
                          "The program ran out of memory while it did this; the training goes on.");
    } catch (const std::exception& error) {  // oneDNN's
        return make_error(ErrorCode::unsupported, "{}", error.what());
    }
}

Result<void> Trainer::Implementation::apply_one(const Pause&) {
    set_run(true, false);
    return {};
}

Result<void> Trainer::Implementation::apply_one(const Resume&) {
    set_run(false, false);
    return {};
}

Result<void> Trainer::Implementation::apply_one(const SingleStep&) {
    set_run(false, true);
    return {};
}

Result<void> Trainer::Implementation::apply_one(const Stop&) {
    stopped_ = true;
    training_->annotate_dropped();
    return {};
}

Result<void> Trainer::Implementation::apply_one(const EvaluateNow&) {
    if (training_->dataset().test.count == 0) {
        return make_error(ErrorCode::invalid_argument, "Data set {} has no test split.",
                          training_->dataset().name);
    }
    return evaluate();
}

Result<void> Trainer::Implementation::evaluate() {
    const bool paused = paused_;
    set_paused(false);
    publish_progress(TrainerState::evaluating);
    Result<void> result;
    try {
        const bool whole = training_->evaluate(
            [&] { return stop_.stop_requested() || stop_asked_.load(std::memory_order_acquire); });
        if (!whole) {
            result =
                make_error(ErrorCode::cancelled, "The training was stopped during the evaluation.");
        }
    } catch (const std::bad_alloc&) {
        result = make_error(ErrorCode::out_of_memory,
                            "The program ran out of memory while it evaluated.");
    }
    set_paused(paused);
    publish_progress(paused ? TrainerState::paused : TrainerState::running);
    return result;
}

void Trainer::Implementation::evaluate_when_due() {
    const Result<void> evaluated = evaluate();
    if (!evaluated && evaluated.error().code != ErrorCode::cancelled) {
        training_->annotate(AnnotationKind::error, "error", evaluated.error().message);
    }
}

void Trainer::Implementation::set_run(bool paused, bool single_step) {
    single_step_ = single_step;
    set_paused(paused);
    publish_progress(paused ? TrainerState::paused : TrainerState::running);
}

void Trainer::Implementation::set_paused(bool paused) {
    const std::lock_guard lock(mutex_);
    paused_ = paused;
    rested_.notify_all();
}

void Trainer::Implementation::publish_progress(TrainerState state) {
    const SamplePosition position = training_->position();
    const auto now = std::chrono::steady_clock::now();
    if (now - device_asked_ >= std::chrono::seconds(1)) {
        device_asked_ = now;
        device_memory_ = training_->device_memory().value_or(MemoryReport{});
    }
    progress_.write({.state = static_cast<std::int64_t>(state),
                     .step = training_->steps(),
                     .samples = training_->samples(),
                     .epoch = position.epoch,
                     .epoch_offset = position.offset,
                     .active_seconds = training_->active_seconds(),
                     .device_total = device_memory_.total,
                     .device_available = device_memory_.available,
                     .device_reserved = device_memory_.reserved});
}

void Trainer::Implementation::publish_knobs() {
    device_asked_ = {};  // a knob may have taken memory
    const Knobs& knobs = training_->knobs();
    TrainerStatus status{.epoch_samples = training_->dataset().train.count,
                         .epochs = training_->config().epochs,
                         .micro_batch = knobs.micro_batch,
                         .accumulation = knobs.accumulation,
                         .optimizer = knobs.optimizer,
                         .variants = knobs.variants,
                         .variants_used = training_->variants_used(),
                         .memory = training_->arena().in_use(),
                         .memory_peak = training_->arena().peak(),
                         .memory_budget = knobs.memory_budget,
                         .evaluation_interval = knobs.evaluation_interval,
                         .error = training_->failure()};
    const std::lock_guard lock(status_mutex_);
    status.revision = status_.revision + 1;
    status_ = std::move(status);
}

void Trainer::Implementation::try_to_publish_knobs() noexcept {
    try {
        publish_knobs();
        unpublished_ = false;
    } catch (const std::bad_alloc&) {
        unpublished_ = true;
    }
}

void Trainer::Implementation::fail(const char* reason) noexcept {
    try {
        training_->fail(reason);
    } catch (const std::bad_alloc&) {
        // Then the reason is not annotated, but told.
    }
}

void Trainer::Implementation::finish(TrainerState state) noexcept {
    try_to_publish_knobs();
    const std::lock_guard lock(mutex_);
    publish_progress(state);
    done_ = true;
    resting_ = true;
    try {
        for (const Command& command : queue_) {
            refuse_after_end(command.id);
        }
    } catch (const std::bad_alloc&) {
        // Whoever waits for an answer sees that the training is done.
    }
    queue_.clear();
    rested_.notify_all();
}

}  // namespace trainscope
