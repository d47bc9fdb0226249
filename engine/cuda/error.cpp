// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/error.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#ifdef TRAINSCOPE_EMULATED
#include "engine/cuda/emulation/faults.h"
#endif
#include "engine/cuda/launch.h"

namespace trainscope::cuda {

namespace {

// The first error after each time that the device was opened: no more, as a device that failed
// answers every call with an error.
struct DeviceErrors {
    std::mutex mutex;
    std::vector<std::string> sentences;
    std::atomic<std::size_t> count = 0;  // of `sentences`
    std::atomic<bool> heard = false;     // nothing is kept until the device is opened again
};
constexpr std::size_t most_devices = 64;
using AllErrors = std::array<DeviceErrors, most_devices>;
AllErrors& all_errors() {
    static AllErrors errors;
    return errors;
}
DeviceErrors& errors_of(int device) {
    return all_errors()[static_cast<std::size_t>(device) % most_devices];
}

thread_local HeldErrors* held = nullptr;
thread_local int used_device = 0;

}  // namespace

std::string name_of(const std::source_location& at) {
    const std::string file = at.file_name();
    const std::size_t folder = file.rfind("engine/cuda/");
    return fmt::format("{}:{}", folder == std::string::npos ? file : file.substr(folder),
                       at.line());
}

void note(cudaError_t error, const char* call, std::source_location at) {
    if (error != cudaSuccess) {
        note_failure(call, cudaGetErrorName(error), cudaGetErrorString(error), at);
    }
}

void note_failure(const char* call, std::string_view name, std::string_view words,
                  std::source_location at) {
    if (held != nullptr) {
        if (held->first_.empty()) {
            held->first_ = fmt::format("{} at {} ({})", words, name_of(at), call);
        }
        return;
    }
    DeviceErrors& errors = errors_of(used_device);
    if (errors.heard.load(std::memory_order_acquire)) {
        return;
    }
    const std::lock_guard lock(errors.mutex);
    if (errors.heard.exchange(true)) {
        return;
    }
    std::string sentence =
        fmt::format("The device failed at {} ({}): {}, {}.", name_of(at), call, name, words);
#ifdef TRAINSCOPE_EMULATED
    if (const std::string fault = emulation::first_fault(); !fault.empty()) {
        sentence += " " + fault;
    }
#endif
    errors.sentences.push_back(std::move(sentence));
    errors.count.store(errors.sentences.size(), std::memory_order_release);
}

HeldErrors::HeldErrors() {
    held = this;
}

HeldErrors::~HeldErrors() {
    held = nullptr;
}

void note_errors_of(int device) {
    used_device = device;
}

std::size_t errors_so_far(int device) {
    DeviceErrors& errors = errors_of(device);
    const std::lock_guard lock(errors.mutex);
    errors.heard.store(false, std::memory_order_release);
    return errors.sentences.size();
}

std::string first_error(int device, std::size_t since) {
    DeviceErrors& errors = errors_of(device);
    if (errors.count.load(std::memory_order_acquire) <= since) {
        return {};
    }
    const std::lock_guard lock(errors.mutex);
    return since < errors.sentences.size() ? errors.sentences[since] : std::string();
}

void forget_errors() {
    for (DeviceErrors& errors : all_errors()) {
        const std::lock_guard lock(errors.mutex);
        errors.sentences.clear();
        errors.count.store(0, std::memory_order_release);
        errors.heard.store(false, std::memory_order_release);
    }
}

}  // namespace trainscope::cuda
