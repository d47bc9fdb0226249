// SPDX-License-Identifier: GPL-3.0-or-later
// Whether an operator and a variant of it exist, by name: the one walk over the table that all who
// are given names use.
#pragma once

#include <string_view>

#include "engine/core/device.h"
#include "engine/core/result.h"

namespace trainscope {

// Whether `op` is an operator of this device and `variant` is "auto" or one of its variants that
// may train; says nothing of shapes. Errors: not_found with the nearest of the names there are,
// unsupported for a variant that is for teaching only and for an operator that no model has.
Result<void> check_variant(DeviceKind device, std::string_view op, std::string_view variant);

}  // namespace trainscope
