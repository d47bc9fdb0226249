// SPDX-License-Identifier: GPL-3.0-or-later
// A device that can hold tensors and run kernel variants.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace trainscope {

enum class DeviceKind : std::uint8_t { cpu, cuda, emulated };

constexpr std::string_view name_of(DeviceKind kind) {
    switch (kind) {
        case DeviceKind::cpu:
            return "cpu";
        case DeviceKind::cuda:
            return "cuda";
        case DeviceKind::emulated:
            return "emulated";
    }
    return "unknown";
}

struct DeviceInfo {
    DeviceKind kind = DeviceKind::cpu;
    std::string id;           // what --device takes: "cpu"
    std::string description;  // "AMD EPYC, 2 threads, AVX2"
    std::int64_t memory_bytes = 0;
    int threads = 1;
};

// The devices of this machine, best first. Never fails: a machine always has its CPU.
std::vector<DeviceInfo> list_devices();

// Finds a device by its id or "auto" (the best). Error not_found lists the ids there are.
Result<DeviceInfo> find_device(std::string_view id);

}  // namespace trainscope
