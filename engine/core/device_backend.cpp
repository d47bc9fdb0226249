// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/device_backend.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace trainscope {

namespace {

using Devices = Result<std::vector<DeviceInfo>>;

std::vector<DeviceBackend>& backends() {
    static std::vector<DeviceBackend> registered;
    return registered;
}

// What was found, so that drivers are asked once.
struct Found {
    std::mutex mutex;
    std::map<DeviceKind, Devices> devices;
};
Found& found() {
    static Found kept;
    return kept;
}

// A backend's devices, or why it has none.
Devices devices_of(const DeviceBackend& backend) {
    const std::lock_guard lock(found().mutex);
    if (const auto known = found().devices.find(backend.kind); known != found().devices.end()) {
        return known->second;
    }
    Devices devices = backend.devices();
    if (devices && devices->empty()) {
        devices = make_error(ErrorCode::unsupported, "This machine has no {} device.",
                             name_of(backend.kind));
    }
    return found().devices.emplace(backend.kind, std::move(devices)).first->second;
}

// "cuda" is the first of its kind, "cuda:1" the one of that index.
bool is_called(const DeviceInfo& device, std::string_view id) {
    return id == device.id || (device.index == 0 && id == name_of(device.kind)) ||
           id == fmt::format("{}:{}", name_of(device.kind), device.index);
}

// Whether an id asks for a device of that kind, whatever its index.
bool asks_for(std::string_view id, DeviceKind kind) {
    return id.substr(0, id.find(':')) == name_of(kind);
}

}  // namespace

void register_backend(DeviceBackend backend) {
    {
        const std::lock_guard lock(found().mutex);
        found().devices.erase(backend.kind);
    }
    for (DeviceBackend& known : backends()) {
        if (known.kind == backend.kind) {
            known = std::move(backend);
            return;
        }
    }
    backends().push_back(std::move(backend));
}

std::vector<MissingDevice> missing_devices() {
    std::vector<MissingDevice> missing;
    for (const DeviceBackend& backend : backends()) {
        if (const auto devices = devices_of(backend); !devices) {
            missing.push_back({backend.kind, devices.error().message});
        }
    }
    return missing;
}

const std::vector<DeviceBackend>& registered_backends() {
    return backends();
}

std::vector<DeviceInfo> list_devices() {
    std::vector<DeviceInfo> all = {cpu_device()};
    for (const DeviceBackend& backend : backends()) {
        if (const auto devices = devices_of(backend)) {
            all.insert(all.end(), devices->begin(), devices->end());
        }
    }
    const auto rank = [](const DeviceInfo& device) {
        return device.kind == DeviceKind::cuda ? 0 : device.kind == DeviceKind::cpu ? 1 : 2;
    };
    std::ranges::stable_sort(all, {}, rank);
    return all;
}

Result<DeviceInfo> find_device(std::string_view id) {
    const std::vector<DeviceInfo> devices = list_devices();
    if (id == "auto") {
        return devices.front();
    }
    std::string known = "auto";
    for (const DeviceInfo& device : devices) {
        if (is_called(device, id)) {
            return device;
        }
        known += ", " + device.id;
    }
    for (const MissingDevice& missing : missing_devices()) {
        if (asks_for(id, missing.kind)) {
            return make_error(ErrorCode::not_found, "There is no device '{}' here: {}", id,
                              missing.reason);
        }
    }
    return make_error(ErrorCode::not_found, "There is no device '{}' here; known: {}.", id, known);
}

Result<std::unique_ptr<DeviceRuntime>> open_device(const DeviceInfo& device) {
    if (device.kind == DeviceKind::cpu) {
        return host_runtime();
    }
    for (const DeviceBackend& backend : backends()) {
        if (backend.kind == device.kind) {
            return backend.open(device);
        }
    }
    return make_error(ErrorCode::not_found, "This program has no {} devices.",
                      name_of(device.kind));
}

}  // namespace trainscope
