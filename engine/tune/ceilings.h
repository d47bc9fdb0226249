// SPDX-License-Identifier: GPL-3.0-or-later
// What a device does at best: its copies and its matrix products.
#pragma once

#include <stop_token>

#include "engine/core/arena.h"
#include "engine/core/device_runtime.h"
#include "engine/tune/kernel_bench.h"

namespace trainscope {

// Zeros where there is no memory for it, or once stopped.
BenchCeilings measure_ceilings(DeviceRuntime& runtime, const DeviceInfo& device, int threads,
                               const std::stop_token& stop);

}  // namespace trainscope
