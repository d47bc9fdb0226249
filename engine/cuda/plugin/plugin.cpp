// SPDX-License-Identifier: GPL-3.0-or-later
// What the program finds in the CUDA plug-in: see engine/ops/device_plugin.h.
#include "engine/cuda/kernel.h"
#include "engine/ops/device_plugin.h"

extern "C" {

[[gnu::visibility("default")]] const char* trainscope_plugin_stamp();
[[gnu::visibility("default")]] void trainscope_plugin(trainscope::DevicePlugin* plugin);

const char* trainscope_plugin_stamp() {
    static const std::string stamp = trainscope::plugin_stamp();
    return stamp.c_str();
}

void trainscope_plugin(trainscope::DevicePlugin* plugin) {
    *plugin = trainscope::own_registrations(trainscope::cuda::device_kind);
}
}
