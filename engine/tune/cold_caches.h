// SPDX-License-Identifier: GPL-3.0-or-later
// Takes tensors out of the caches before a kernel is timed, as they are in a training, where the
// rest of the network lies between two uses of a tensor.
#pragma once

#include <cstddef>
#include <span>

#include "engine/core/arena.h"
#include "engine/core/device_runtime.h"

namespace trainscope {

struct BenchMemory {
    const void* data = nullptr;
    std::int64_t bytes = 0;
};

class ColdCaches {
  public:
    explicit ColdCaches(DeviceRuntime& runtime) : runtime_(&runtime) {}
    // Takes what it needs. Without memory for it nothing is made cold.
    void prepare(Arena& arena);
    // Enqueued. On the host the lines of these tensors are flushed; on a device as much is written
    // as its second-level cache can hold.
    void make_cold(std::span<const BenchMemory> tensors);

  private:
    DeviceRuntime* runtime_;
    Buffer scrubbed_;
};

}  // namespace trainscope
