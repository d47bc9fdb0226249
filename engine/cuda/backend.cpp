// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA backend among the program's devices.
#include "engine/core/device_backend.h"
#include "engine/cuda/kernel.h"
#include "engine/cuda/runtime.h"

namespace trainscope::cuda {

namespace {

const RegisteredBackend registered{
    {.kind = device_kind, .devices = list_devices, .open = [](const DeviceInfo& device) {
         return open_device(device.index);
     }}};

}  // namespace

}  // namespace trainscope::cuda
