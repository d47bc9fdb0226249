// SPDX-License-Identifier: GPL-3.0-or-later
// The emulated device between tests.
#pragma once

#include "engine/cuda/emulation/block.h"
#include "engine/cuda/emulation/device_memory.h"
#include "engine/cuda/emulation/devices.h"
#include "engine/cuda/emulation/faults.h"
#include "engine/cuda/error.h"

namespace trainscope::testing {

// Whole again, with its usual memory and order of threads, whatever a test did to it.
inline void reset_emulated_device() {
    emulation::set_order_seed(0);
    emulation::set_device_memory(emulation::default_device_memory);
    emulation::set_devices({});
    emulation::take_faults();
    cuda::note_errors_of(0);
    cuda::forget_errors();
    static_cast<void>(cuda::cudaGetLastError());
}

}  // namespace trainscope::testing
