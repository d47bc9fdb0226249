// SPDX-License-Identifier: GPL-3.0-or-later
// Devices and their kernels that come in a library loaded at run time, so that the program starts
// on machines without what that library needs.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "engine/core/device_backend.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/operators.h"

namespace trainscope {

template <class... Ops>
struct VariantTables {
    std::tuple<std::vector<KernelVariant<Ops>>...> of;
};

// What a plug-in hands over. It is built with the program, and of the same headers.
struct DevicePlugin {
    DeviceBackend backend;
    std::vector<VariantInfo> infos;
    OfAllOperators<VariantTables> variants;
};

// Which program a plug-in belongs to: version, compiler, and the size of what is handed over.
std::string plugin_stamp();

// A plug-in has, as C symbols: const char* trainscope_plugin_stamp(), and
// void trainscope_plugin(DevicePlugin*), which is called only if the stamp is the program's.
inline constexpr const char* plugin_stamp_symbol = "trainscope_plugin_stamp";
inline constexpr const char* plugin_symbol = "trainscope_plugin";

// For a plug-in: what its own static objects registered for that kind.
DevicePlugin own_registrations(DeviceKind kind);

// Loads the library at `path` and registers what it hands over; it stays loaded. Called before
// other threads ask for devices or variants. Where it cannot be loaded, a backend of that kind is
// registered that has no device and says why: missing, not loadable, or of another build.
void load_device_plugin(DeviceKind kind, const std::string& path);

// The CUDA plug-in beside the program, or in ../lib/trainscope from it.
void load_device_plugins();

}  // namespace trainscope
