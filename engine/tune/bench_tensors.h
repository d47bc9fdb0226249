// SPDX-License-Identifier: GPL-3.0-or-later
// The tensors of a case in a device's memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/core/arena.h"
#include "engine/core/device_runtime.h"
#include "engine/tune/bench_case.h"
#include "engine/tune/cold_caches.h"

namespace trainscope {

// The case, the runtime and the arena must outlive it.
class BenchTensors {
  public:
    // Error out_of_memory.
    static Result<BenchTensors> create(const BenchCase& bench, DeviceRuntime& runtime,
                                       Arena& arena);

    // The inputs as they were at first, and NaN in what no kernel has written.
    void reset();
    std::span<void* const> pointers() const { return pointers_; }
    // The tensors that a pass reads or writes.
    std::vector<BenchMemory> used_by(const BenchPass& pass) const;
    // As numbers. Waits for the device.
    std::vector<double> download(std::size_t tensor) const;

  private:
    BenchTensors(const BenchCase& bench, DeviceRuntime& runtime)
        : case_(&bench), runtime_(&runtime) {}

    const BenchCase* case_;
    DeviceRuntime* runtime_;
    std::vector<Buffer> buffers_;
    std::vector<void*> pointers_;
};

}  // namespace trainscope
