// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/device.h"

#include <unistd.h>

#include <fstream>
#include <thread>

namespace trainscope {

namespace {

std::string cpu_model_name() {
    std::ifstream cpuinfo("/proc/cpuinfo");
    for (std::string line; std::getline(cpuinfo, line);) {
        if (line.starts_with("model name")) {
            const std::size_t colon = line.find(": ");
            return colon == std::string::npos ? "CPU" : line.substr(colon + 2);
        }
    }
    return "CPU";
}

const char* vector_extension() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        return ", AVX-512";
    }
    if (__builtin_cpu_supports("avx2")) {
        return ", AVX2";
    }
#endif
    return "";
}

DeviceInfo find_cpu() {
    const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const std::int64_t pages = sysconf(_SC_PHYS_PAGES);
    const std::int64_t page_bytes = sysconf(_SC_PAGESIZE);
    return {.kind = DeviceKind::cpu,
            .id = "cpu",
            .description =
                fmt::format("{}, {} threads{}", cpu_model_name(), threads, vector_extension()),
            .memory_bytes = pages > 0 && page_bytes > 0 ? pages * page_bytes : 0,
            .threads = threads};
}

}  // namespace

DeviceInfo cpu_device() {
    static const DeviceInfo found = find_cpu();  // the window asks whenever a knob is looked at
    return found;
}

}  // namespace trainscope
