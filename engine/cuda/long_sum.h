// SPDX-License-Identifier: GPL-3.0-or-later
// How products of matrices add up many terms. What a float32 sum loses grows with the number of
// terms that are added to it one after another, so after some of them it goes to a sum of sums. A
// dense layer's 21632 terms in one sum were enough to put a training run 3 times too far off.
#pragma once

#include "engine/cuda/launch.h"

namespace trainscope::cuda {

// Of one sum, before it is added to the sum of sums.
inline constexpr std::int64_t terms_of_sum = 512;

// term(0) + ... + term(count - 1).
template <class Term>
__device__ float long_sum(std::int64_t count, const Term& term) {
    float all = 0;
    for (std::int64_t first = 0; first < count; first += terms_of_sum) {
        const std::int64_t end = min(first + terms_of_sum, count);
        float sum = 0;
        for (std::int64_t k = first; k < end; ++k) {
            sum += term(k);
        }
        all += sum;
    }
    return all;
}

}  // namespace trainscope::cuda
