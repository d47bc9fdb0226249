// SPDX-License-Identifier: GPL-3.0-or-later
// Streams and events of the emulated device, as the stand-ins of the runtime's calls see them.
#pragma once

#include <chrono>

#include "engine/cuda/emulation/graph.h"
#include "engine/cuda/emulation/runtime_api.h"

namespace trainscope::emulation {

struct EmulatedStream {
    EmulatedGraph* recorded = nullptr;  // while it is captured
    bool invalidated = false;           // something was asked of it that a capture forbids
};

struct EmulatedEvent {
    std::chrono::steady_clock::time_point time;
    const EmulatedStream* captured_in = nullptr;  // its last record was part of a capture
};

// What a call gives back: a broken device's error is sticky, others stay until they are asked for.
cudaError_t answer(cudaError_t error);

// cudaSuccess, or what a call that a capture forbids gives back while this thread captures (the
// mode cudaStreamCaptureModeThreadLocal). The capture is then invalid.
cudaError_t forbidden_in_capture();

}  // namespace trainscope::emulation
