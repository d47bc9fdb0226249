// SPDX-License-Identifier: GPL-3.0-or-later
// Where devices beside the CPU come from: a backend registers itself and is asked from then on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/device.h"
#include "engine/core/device_runtime.h"
#include "engine/core/result.h"

namespace trainscope {

struct DeviceBackend {
    DeviceKind kind = DeviceKind::cuda;
    // Error: why there is none, in one sentence.
    std::function<Result<std::vector<DeviceInfo>>()> devices;
    std::function<Result<std::unique_ptr<DeviceRuntime>>(const DeviceInfo&)> open;
};

// In place of the one of that kind, if there is one. Called before other threads ask for devices.
void register_backend(DeviceBackend backend);
const std::vector<DeviceBackend>& registered_backends();

// Registers one before main() runs.
struct RegisteredBackend {
    explicit RegisteredBackend(DeviceBackend backend) { register_backend(std::move(backend)); }
};

// A registered backend that has no device here.
struct MissingDevice {
    DeviceKind kind = DeviceKind::cuda;
    std::string reason;
};
std::vector<MissingDevice> missing_devices();

// The runtime of a device of find_device's. Errors: not_found where no backend of its kind is
// registered; else the backend's.
Result<std::unique_ptr<DeviceRuntime>> open_device(const DeviceInfo& device);

}  // namespace trainscope
