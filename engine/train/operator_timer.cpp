// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/operator_timer.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace trainscope {

namespace {

// Marks that others may set between a timed micro-batch and the call that reads its marks.
constexpr std::size_t others = 64;
constexpr std::size_t most_marks = DeviceRuntime::mark_count - others;

constexpr std::size_t no_column = std::numeric_limits<std::size_t>::max();

std::size_t marks_of(const MemoryPlan& plan) {
    return 2 + plan.stages.size() * pass_count;
}

}  // namespace

OperatorTimer::OperatorTimer(DeviceRuntime& runtime, std::size_t nodes)
    : runtime_(&runtime), seconds_(nodes * pass_count) {
    marks_.reserve(most_marks);
}

bool OperatorTimer::due(const MemoryPlan& plan, std::int64_t step, std::int64_t every) const {
    return !unread_ && !untaken_ && marks_of(plan) <= most_marks / 2 &&
           (step_ == 0 || step - step_ >= every) &&
           std::chrono::steady_clock::now() - last_ >= interval;
}

void OperatorTimer::begin(const MemoryPlan& plan, std::int64_t step) {
    step_ = step;
    last_ = std::chrono::steady_clock::now();
    plan_ = &plan;
    marks_.clear();
    marking_ = true;
    unread_ = true;
    first_ = runtime_->mark();
}

void OperatorTimer::mark(std::size_t stage, Pass pass) {
    assert(marking_ && marks_.size() < most_marks);
    marks_.push_back(
        {runtime_->mark(), OperatorTimes::column_of(plan_->stages[stage].first_node, pass)});
}

void OperatorTimer::skip() {
    marks_.push_back({runtime_->mark(), no_column});
}

void OperatorTimer::collect(DeviceRuntime::Mark latest) {
    if (!unread_ || marking_ || marks_.empty()) {
        return;
    }
    if (latest - first_ >= most_marks) {
        runtime_->wait(marks_.back().mark);
    }
    if (runtime_->passed(marks_.back().mark)) {
        read();
    }
}

void OperatorTimer::read() {
    std::fill(seconds_.begin(), seconds_.end(), std::numeric_limits<double>::quiet_NaN());
    DeviceRuntime::Mark before = first_;
    for (const Marked& marked : marks_) {
        if (marked.column != no_column) {
            seconds_[marked.column] = runtime_->seconds_between(before, marked.mark);
        }
        before = marked.mark;
    }
    unread_ = false;
    untaken_ = true;
}

std::span<const double> OperatorTimer::take(std::int64_t step) {
    if (step != step_ || marking_) {
        return {};
    }
    if (unread_ && !marks_.empty()) {
        read();  // the step is done, and its marks have passed
    }
    return std::exchange(untaken_, false) ? std::span<const double>(seconds_)
                                          : std::span<const double>();
}

}  // namespace trainscope
