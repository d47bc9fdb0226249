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

inline constexpr DeviceKind all_device_kinds[] = {DeviceKind::cpu, DeviceKind::cuda,
                                                  DeviceKind::emulated};

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
    std::string id;                 // what --device takes: "cpu", "cuda", "cuda:1"
    std::string description;        // "AMD EPYC, 2 threads, AVX2"
    std::int64_t memory_bytes = 0;  // 0: unknown
    int threads = 1;                // of the host, that its kernels may use
    int index = 0;                  // among those of its kind
};

DeviceInfo cpu_device();

// The devices of this machine, best first: cards, the CPU, the emulated device. Never fails: a
// machine always has its CPU.
std::vector<DeviceInfo> list_devices();

// Finds a device by its id ("cuda:0" is "cuda") or "auto" (the best). Error not_found: the ids
// there are, or why there is none of that kind.
Result<DeviceInfo> find_device(std::string_view id);

}  // namespace trainscope
