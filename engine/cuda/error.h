// SPDX-License-Identifier: GPL-3.0-or-later
// What went wrong on a device first. Every call and launch is checked; the training asks once a
// step.
#pragma once

#include <cstddef>
#include <source_location>
#include <string>
#include <string_view>

#ifdef TRAINSCOPE_EMULATED
#include "engine/cuda/emulation/runtime_api.h"
#else
#include <cuda_runtime_api.h>
#endif

namespace trainscope::cuda {

#ifdef TRAINSCOPE_EMULATED
using namespace trainscope::emulation;  // NOLINT: the runtime's names, as CUDA has them
#endif

// Keeps the first error that is not cudaSuccess, as one of the device that the thread uses; from
// any thread, without waiting.
void note(cudaError_t error, const char* call,
          std::source_location at = std::source_location::current());
// The same for a library's call that failed: the name of what it answered, and that in words.
void note_failure(const char* call, std::string_view name, std::string_view words,
                  std::source_location at = std::source_location::current());
// While one lives, the first error that this thread notes is kept here, and is no failure of the
// device: what fails while work is recorded fails the recording alone.
class HeldErrors {
  public:
    HeldErrors();
    ~HeldErrors();
    HeldErrors(const HeldErrors&) = delete;
    HeldErrors& operator=(const HeldErrors&) = delete;
    const std::string& first() const { return first_; }

  private:
    friend void note_failure(const char* call, std::string_view name, std::string_view words,
                             std::source_location at);
    std::string first_;
};
// The calling thread's errors are of this device from now on; of device 0 before.
void note_errors_of(int device);
// Where the errors of a device begin that are noted from now on.
std::size_t errors_so_far(int device);
// The first of them in one sentence; empty without one. Waits for nothing where there is none.
std::string first_error(int device = 0, std::size_t since = 0);
// Those of all devices; for tests of faults.
void forget_errors();

}  // namespace trainscope::cuda
