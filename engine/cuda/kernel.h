// SPDX-License-Identifier: GPL-3.0-or-later
// What every kernel variant of this backend includes: launching, and registering with ops.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/cuda/launch.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope::cuda {

#ifdef TRAINSCOPE_EMULATED
inline constexpr DeviceKind device_kind = DeviceKind::emulated;
#else
inline constexpr DeviceKind device_kind = DeviceKind::cuda;
#endif

// The stream of the runtime that a kernel is made for.
cudaStream_t stream_of(const KernelContext& context);

}  // namespace trainscope::cuda
