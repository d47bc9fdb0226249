// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/reference/softmax_cross_entropy.h"

#include <algorithm>
#include <cmath>

namespace trainscope::reference {

SoftmaxCrossEntropyResult softmax_cross_entropy(const SoftmaxCrossEntropy::Shape& shape,
                                                const Values& logits, const Values& targets) {
    SoftmaxCrossEntropyResult result;
    for (std::int64_t n = 0; n < shape.n; ++n) {
        const double* z = logits.data() + n * shape.classes;
        const double* t = targets.data() + n * shape.classes;
        const double* largest = std::max_element(z, z + shape.classes);
        double exponentials = 0;
        double weight = 0;
        for (std::int64_t j = 0; j < shape.classes; ++j) {
            exponentials += std::exp(z[j] - *largest);
            weight += t[j];
        }
        for (std::int64_t j = 0; j < shape.classes; ++j) {
            const double log_p = z[j] - *largest - std::log(exponentials);
            // A class that is no target costs nothing, also when its log p is -inf.
            result.loss_sum -= t[j] == 0 ? 0 : t[j] * log_p;
            result.dlogits.push_back(weight * std::exp(log_p) - t[j]);
        }
        result.correct += largest - z == std::max_element(t, t + shape.classes) - t ? 1 : 0;
    }
    return result;
}

Values one_hot(const SoftmaxCrossEntropy::Shape& shape, const std::vector<std::int32_t>& labels) {
    Values targets = zeros(shape.n * shape.classes);
    for (std::int64_t n = 0; n < shape.n; ++n) {
        targets[at(n * shape.classes + labels[at(n)])] = 1;
    }
    return targets;
}

}  // namespace trainscope::reference
