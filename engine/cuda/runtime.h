// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA device as a DeviceRuntime: one stream, memory from cudaMalloc kept for reuse, and marks
// that are events.
#pragma once

#include <memory>
#include <vector>

#include "engine/core/device.h"
#include "engine/core/device_runtime.h"
#include "engine/core/result.h"

namespace trainscope::cuda {

// The devices there are. Error unsupported: why there is none (no driver, one that is too old, no
// card), in one sentence.
Result<std::vector<DeviceInfo>> list_devices();

// Errors: not_found, a device of that index; unsupported, a card of too old an architecture;
// device_failed, what the driver says.
Result<std::unique_ptr<DeviceRuntime>> open_device(int index);

}  // namespace trainscope::cuda
