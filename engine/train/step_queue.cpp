// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/step_queue.h"

#include <cassert>
#include <utility>

namespace trainscope {

Result<void> StepQueue::allocate() {
    Result<Buffer> results =
        staging_.allocate(static_cast<std::int64_t>(most_steps * sizeof(StepResults)),
                          MemoryCategory::workspace, "results of steps");
    if (!results) {
        return make_error(std::move(results.error()));
    }
    results_ = std::move(*results);
    Result<Buffer> values =
        staging_.allocate(static_cast<std::int64_t>(most_steps * sizeof(OptimizerStep)),
                          MemoryCategory::workspace, "values of steps");
    if (!values) {
        return make_error(std::move(values.error()));
    }
    values_ = std::move(*values);
    return {};
}

void StepQueue::bring(const OptimizerStep& values, OptimizerStep* tensor) {
    assert(!full());
    OptimizerStep* const staged =
        static_cast<OptimizerStep*>(values_.data()) + steps_given_ % most_steps;
    *staged = values;
    runtime_->upload(tensor, staged, static_cast<std::int64_t>(sizeof values));
}

void StepQueue::begin() {
    add(Kind::begin, Phase::data);
}

DeviceRuntime::Mark StepQueue::end_phase(Phase phase) {
    return add(Kind::phase, phase);
}

void StepQueue::drop_phases() {
    add(Kind::drop, Phase::data);
}

void StepQueue::end_step(const StepSample& sample, const StepResults* results) {
    assert(!full());
    const std::size_t slot = steps_given_ % most_steps;
    steps_[slot].sample = sample;
    runtime_->download(static_cast<StepResults*>(results_.data()) + slot, results,
                       static_cast<std::int64_t>(sizeof(StepResults)));
    ++steps_given_;
    add(Kind::step, Phase::optimizer);
}

DeviceRuntime::Mark StepQueue::add(Kind kind, Phase phase) {
    if (end_event_ - first_event_ == most_events) {
        runtime_->wait(events_[first_event_ % most_events].mark);
        collect();
    }
    const Mark mark = runtime_->mark();
    events_[end_event_++ % most_events] = {.mark = mark, .kind = kind, .phase = phase};
    return mark;
}

void StepQueue::wait_for_oldest() {
    while (steps_given_ > steps_taken_ && steps_done_ == steps_taken_) {
        runtime_->wait(events_[first_event_ % most_events].mark);
        collect_one();
    }
}

void StepQueue::wait_for_all() {
    runtime_->finish();
    collect();
}

const FinishedStep* StepQueue::take() {
    collect();
    return steps_taken_ == steps_done_ ? nullptr : &steps_[steps_taken_++ % most_steps];
}

void StepQueue::collect() {
    while (first_event_ < end_event_ &&
           runtime_->passed(events_[first_event_ % most_events].mark)) {
        collect_one();
    }
}

void StepQueue::collect_one() {
    const Event event = events_[first_event_++ % most_events];
    if (event.kind == Kind::begin || event.kind == Kind::drop) {
        if (event.kind == Kind::drop) {
            seconds_ = {};
        }
        last_mark_ = event.mark;
        return;
    }
    seconds_[static_cast<std::size_t>(event.phase)] +=
        runtime_->seconds_between(last_mark_, event.mark);
    last_mark_ = event.mark;
    if (event.kind == Kind::step) {
        const std::size_t slot = steps_done_++ % most_steps;
        steps_[slot].results = static_cast<const StepResults*>(results_.data())[slot];
        steps_[slot].seconds = std::exchange(seconds_, {});
    }
}

}  // namespace trainscope
