// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers that an optimizer step gives beside its parameters: they lie in tensor memory, so
// that the host need not wait for the kernels that write them.
#pragma once

#include "engine/ops/softmax_cross_entropy.h"

namespace trainscope {

struct StepResults {
    SoftmaxCrossEntropy::Totals totals;  // of the accumulation window, or of an evaluation
    double squared_norm = 0;
};

}  // namespace trainscope
