// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the threads of a block as fibers of one OS thread: each runs until it meets a barrier or a
// warp collective, which lets it go on once all who take part are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/cuda/emulation/thread.h"

namespace trainscope::emulation {

// A kernel with its arguments.
struct KernelCall {
    void (*run)(const void* closure) = nullptr;
    const void* closure = nullptr;
};

// Runs all blocks, one after another, and reports what it finds wrong (faults.h). `where` names the
// launch. Nothing is run when the launch breaks a device's limits or the device is broken.
void run_launch(const KernelCall& call, dim3 grid, dim3 threads, std::size_t shared_bytes,
                const std::string& where);

// 0: threads and blocks in their order. Others: in an order drawn anew at each meeting of the
// threads. Results that depend on it show a race.
void set_order_seed(std::uint64_t seed);

// What a launch may ask for; a real device gives more only to kernels with an attribute set.
inline constexpr std::size_t dynamic_shared_limit = 48 * 1024;
inline constexpr std::size_t largest_shared_bytes = 227 * 1024;

// Kernels run so far: what a test counts.
std::uint64_t launch_count();

}  // namespace trainscope::emulation
