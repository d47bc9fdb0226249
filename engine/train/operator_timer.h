// SPDX-License-Identifier: GPL-3.0-or-later
// Times the stages of a micro-batch now and then: a mark after each, read once the device has
// passed them. Often enough to follow by eye, so seldom that it costs nothing that can be measured.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/device_runtime.h"
#include "engine/model/memory_plan.h"
#include "engine/train/operator_times.h"

namespace trainscope {

class OperatorTimer {
  public:
    static constexpr std::chrono::milliseconds interval{100};
    // While steps are replayed, one of so many at most is timed: a timed one is not replayed, so a
    // device that needs longer than the interval for a step would never replay any.
    static constexpr std::int64_t replays = 5;

    // `nodes` of the graph; the stages are those of a plan for it.
    OperatorTimer(DeviceRuntime& runtime, std::size_t nodes);

    // Whether `step` should be timed, where one of `every` steps may be. Never for a model of so
    // many stages that their marks would not be kept.
    bool due(const MemoryPlan& plan, std::int64_t step, std::int64_t every) const;
    // Each stage that is marked from here on, until `end`, is one of this step.
    void begin(const MemoryPlan& plan, std::int64_t step);
    bool is_marking() const { return marking_; }
    // A stage's pass was given to the device; what was given since the last mark was its.
    void mark(std::size_t stage, Pass pass);
    // What was given since the last mark was no stage's.
    void skip();
    void end() { marking_ = false; }
    // Time has passed that is no kernel's: what was marked says nothing.
    void drop() { marking_ = unread_ = untaken_ = false; }

    // Reads the marks if they have passed. `latest` is the last mark of all: before the first of
    // ours is lost, this waits.
    void collect(DeviceRuntime::Mark latest);
    // Of a step that is done: the seconds by OperatorTimes::column_of, NaN where there is none;
    // empty when it was not timed. Valid until the next `begin`.
    std::span<const double> take(std::int64_t step);

  private:
    struct Marked {
        DeviceRuntime::Mark mark = 0;
        std::size_t column = 0;
    };
    void read();

    DeviceRuntime* runtime_;
    std::chrono::steady_clock::time_point last_;
    const MemoryPlan* plan_ = nullptr;  // while marking
    bool marking_ = false;
    bool unread_ = false, untaken_ = false;
    std::int64_t step_ = 0;  // the last that was timed
    DeviceRuntime::Mark first_ = 0;
    std::vector<Marked> marks_;  // room for all that are kept
    std::vector<double> seconds_;
};

}  // namespace trainscope
