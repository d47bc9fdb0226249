// SPDX-License-Identifier: GPL-3.0-or-later
// Recording the parts of a step, where that is wanted and the device can. What cannot be recorded
// is done without; the reason is kept, and nothing is tried again until the knob is turned.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "engine/core/device_runtime.h"

namespace trainscope {

class Recorder {
  public:
    explicit Recorder(DeviceRuntime& runtime) : runtime_(&runtime) {}

    // Forgets a failure.
    void turn(bool on);
    bool is_on() const { return on_; }
    // nullptr: it could not be recorded, and recording is off now.
    std::unique_ptr<RecordedWork> record(const std::function<void()>& work);
    // A part of the step, in all that it comes in, was recorded.
    void count_part() { ++parts_; }
    std::int64_t parts() const { return parts_; }
    // Why recording went off since the last call; empty when it did not.
    std::string take_failure() { return std::exchange(failure_, {}); }

  private:
    DeviceRuntime* runtime_;
    bool on_ = false;
    std::int64_t parts_ = 0;
    std::string failure_;
};

// A part of a step that is always the same, recorded when it comes the second time: what libraries
// make at their first run is no part of a recording.
class RecordedPart {
  public:
    void run(Recorder& recorder, const std::function<void()>& work);
    void forget() { recorded_.reset(); }

  private:
    bool has_run_ = false;
    std::unique_ptr<RecordedWork> recorded_;
};

}  // namespace trainscope
