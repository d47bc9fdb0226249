// SPDX-License-Identifier: GPL-3.0-or-later
// The float64 reference of OptimizerUpdate.
#pragma once

#include "engine/ops/optimizer.h"
#include "engine/ops/reference/values.h"

namespace trainscope::reference {

// What an optimizer step changes. state0 and state1 are as long as parameters, used or not.
struct OptimizerState {
    Values parameters;
    Values state0;  // velocity or first moment
    Values state1;  // second moment
};
// Returns the squared L2 norm of g = gradient_sums / samples. `step` counts from 1.
double optimizer_step(const OptimizerSettings& settings, std::int64_t step, double samples,
                      const Values& gradient_sums, OptimizerState& state);

}  // namespace trainscope::reference
