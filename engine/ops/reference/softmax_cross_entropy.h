// SPDX-License-Identifier: GPL-3.0-or-later
// The float64 reference of SoftmaxCrossEntropy.
#pragma once

#include "engine/ops/reference/values.h"
#include "engine/ops/softmax_cross_entropy.h"

namespace trainscope::reference {

struct SoftmaxCrossEntropyResult {
    double loss_sum = 0;       // over the samples, not divided
    std::int64_t correct = 0;  // as in SoftmaxCrossEntropy::Totals
    Values dlogits;            // of the sum of the losses
};
// targets [N, classes] need not sum to 1.
SoftmaxCrossEntropyResult softmax_cross_entropy(const SoftmaxCrossEntropy::Shape& shape,
                                                const Values& logits, const Values& targets);
// The targets that mean the same as hard labels.
Values one_hot(const SoftmaxCrossEntropy::Shape& shape, const std::vector<std::int32_t>& labels);

}  // namespace trainscope::reference
