// SPDX-License-Identifier: GPL-3.0-or-later
// Work recorded as a CUDA graph.
#pragma once

#include <functional>
#include <memory>

#include "engine/core/device_runtime.h"
#include "engine/cuda/error.h"

namespace trainscope::cuda {

// As DeviceRuntime::record, of what `work` gives to the stream.
Result<std::unique_ptr<RecordedWork>> record_graph(cudaStream_t stream,
                                                   const std::function<void()>& work);

}  // namespace trainscope::cuda
