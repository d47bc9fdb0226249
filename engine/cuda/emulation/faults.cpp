// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/emulation/faults.h"

#include <atomic>
#include <mutex>
#include <utility>

namespace trainscope::emulation {

namespace {

constexpr std::size_t most_faults = 64;

struct Faults {
    std::mutex mutex;
    std::vector<Fault> list;
    std::atomic<bool> any = false;
};

Faults& faults() {
    static Faults all;
    return all;
}

}  // namespace

std::string_view name_of(FaultKind kind) {
    constexpr std::string_view names[] = {
        "launch limit",  "divergent barrier", "inactive lane",      "mismatched mask",
        "shared bounds", "device bounds",     "uninitialized read", "race"};
    return names[static_cast<std::size_t>(kind)];
}

void report_fault(FaultKind kind, std::string message) {
    const std::lock_guard lock(faults().mutex);
    if (faults().list.size() < most_faults) {
        faults().list.push_back({kind, std::move(message)});
    }
    faults().any.store(true, std::memory_order_release);
}

std::vector<Fault> take_faults() {
    const std::lock_guard lock(faults().mutex);
    faults().any.store(false, std::memory_order_release);
    return std::exchange(faults().list, {});
}

bool has_faults() {
    return faults().any.load(std::memory_order_acquire);
}

std::string first_fault() {
    const std::lock_guard lock(faults().mutex);
    return faults().list.empty() ? std::string() : faults().list.front().message;
}

}  // namespace trainscope::emulation
