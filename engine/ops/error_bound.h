// SPDX-License-Identifier: GPL-3.0-or-later
// How far a kernel's result is from the float64 one, and how far it may be: numerics.md,
// "Tolerances".
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "engine/ops/kernel_variant.h"

namespace trainscope {

// Of the relative L2 error of a result whose longest sum has `terms` addends, with factors of
// `arithmetic`; 0 for 0 terms: nothing is rounded.
inline double error_bound(Arithmetic arithmetic, std::int64_t terms) {
    if (terms == 0) {
        return 0;
    }
    switch (arithmetic) {
        case Arithmetic::tf32:
            return 2e-3;
        case Arithmetic::bf16:
            return 2e-2;
        case Arithmetic::fp32:
            break;
    }
    return std::min(1e-5 * std::sqrt(static_cast<double>(terms) / 1000 + 1), 1e-4);
}

// |got - expected| / |expected| in the L2 norm; where everything expected is zero, against 1. NaN
// where either side has one; infinite where the sizes differ.
template <class T>
double relative_l2_error(std::span<const T> got, std::span<const double> expected) {
    if (got.size() != expected.size()) {
        return std::numeric_limits<double>::infinity();
    }
    double error = 0;
    double size = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const double difference = static_cast<double>(got[i]) - expected[i];
        error += difference * difference;
        size += expected[i] * expected[i];
    }
    return std::sqrt(error) / (size == 0 ? 1 : std::sqrt(size));
}

}  // namespace trainscope
