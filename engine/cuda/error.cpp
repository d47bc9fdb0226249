// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/error.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>

#ifdef TRAINSCOPE_EMULATED
#include "engine/cuda/emulation/faults.h"
#endif
#include "engine/cuda/launch.h"

namespace trainscope::cuda {

namespace {

struct FirstError {
    std::atomic<bool> set = false;
    std::mutex mutex;
    std::string sentence;
};
FirstError& first() {
    static FirstError error;
    return error;
}

thread_local HeldErrors* held = nullptr;

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
    if (first().set.load(std::memory_order_acquire)) {
        return;
    }
    const std::lock_guard lock(first().mutex);
    if (!first().sentence.empty()) {
        return;
    }
    first().sentence =
        fmt::format("The device failed at {} ({}): {}, {}.", name_of(at), call, name, words);
#ifdef TRAINSCOPE_EMULATED
    if (const std::string fault = emulation::first_fault(); !fault.empty()) {
        first().sentence += " " + fault;
    }
#endif
    first().set.store(true, std::memory_order_release);
}

HeldErrors::HeldErrors() {
    held = this;
}

HeldErrors::~HeldErrors() {
    held = nullptr;
}

std::string first_error() {
    if (!first().set.load(std::memory_order_acquire)) {
        return {};
    }
    const std::lock_guard lock(first().mutex);
    return first().sentence;
}

void forget_error() {
    const std::lock_guard lock(first().mutex);
    first().sentence.clear();
    first().set.store(false, std::memory_order_release);
}

}  // namespace trainscope::cuda
