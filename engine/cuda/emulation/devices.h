// SPDX-License-Identifier: GPL-3.0-or-later
// What the runtime says of its devices: one of compute capability 8.0, unless a test has it
// otherwise. Whatever their number, they share one memory.
#pragma once

#include <vector>

#include "engine/cuda/emulation/runtime_api.h"

namespace trainscope::emulation {

struct EmulatedDevice {
    int major = 8, minor = 0;              // compute capability
    cudaError_t properties = cudaSuccess;  // what cudaGetDeviceProperties answers
};
struct EmulatedDevices {
    cudaError_t count = cudaSuccess;  // what cudaGetDeviceCount answers
    std::vector<EmulatedDevice> devices = {{}};
};
// Not while a device is in use.
void set_devices(EmulatedDevices devices);
const EmulatedDevices& emulated_devices();

}  // namespace trainscope::emulation
