// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that were given to the device and may not be done: how long their phases take on it, and
// what they result in, collected in order once the device has passed them. Nobody waits for that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/core/arena.h"
#include "engine/core/device_runtime.h"
#include "engine/core/result.h"
#include "engine/ops/optimizer_step.h"
#include "engine/ops/step_results.h"
#include "engine/train/telemetry.h"

namespace trainscope {

// What the time of a step goes to: waiting for the samples, and the three passes.
enum class Phase : std::uint8_t { data, forward, backward, optimizer };
inline constexpr std::size_t phase_count = 4;

struct FinishedStep {
    StepSample sample{};  // what was known when the step was given to the device
    StepResults results;
    std::array<double, phase_count> seconds{};  // by Phase, summed over its micro-batches

    double total_seconds() const { return seconds[0] + seconds[1] + seconds[2] + seconds[3]; }
};

class StepQueue {
  public:
    // Steps that may be on their way at once.
    static constexpr std::size_t most_steps = 4;

    explicit StepQueue(DeviceRuntime& runtime)
        : runtime_(&runtime), staging_(runtime.staging_allocator()) {}

    // Error out_of_memory: there is no host memory for the results.
    Result<void> allocate();

    // The time before this belongs to no phase.
    void begin();
    // The work given since the last call was this phase's.
    DeviceRuntime::Mark end_phase(Phase phase);
    // Values that the step's update reads from tensor memory.
    void bring(const OptimizerStep& values, OptimizerStep* tensor);
    // Gives up what was given of a step: its time is no step's.
    void drop_phases();
    // The step is given whole. `results` is tensor memory, which the next step may overwrite.
    void end_step(const StepSample& sample, const StepResults* results);

    bool full() const { return steps_given_ - steps_taken_ == most_steps; }
    // Waits for the device: for the oldest step, or for all that was given to it.
    void wait_for_oldest();
    void wait_for_all();
    // The oldest step that is done and was not taken; nullptr when there is none. It stays as it is
    // until the next call.
    const FinishedStep* take();

  private:
    using Mark = DeviceRuntime::Mark;
    enum class Kind : std::uint8_t { begin, phase, step, drop };
    struct Event {
        Mark mark = 0;
        Kind kind = Kind::begin;
        Phase phase = Phase::data;
    };
    static constexpr std::size_t most_events = 32;
    static_assert(most_events < DeviceRuntime::mark_count);

    Mark add(Kind kind, Phase phase);
    void collect();  // the events that have passed
    void collect_one();

    DeviceRuntime* runtime_;
    Arena staging_;
    Buffer results_;  // StepResults, one for each step on its way
    Buffer values_;   // OptimizerStep, likewise
    std::array<Event, most_events> events_;
    std::uint64_t first_event_ = 0, end_event_ = 0;
    Mark last_mark_ = 0;                         // the last event collected
    std::array<double, phase_count> seconds_{};  // of the step that is being collected
    std::array<FinishedStep, most_steps> steps_;
    std::uint64_t steps_given_ = 0, steps_done_ = 0, steps_taken_ = 0;
};

}  // namespace trainscope
