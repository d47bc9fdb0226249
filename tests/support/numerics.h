// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a kernel's result is as close to the float64 one as it must be.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/ops/error_bound.h"

namespace trainscope::testing {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

// For a float32 kernel whose longest sum has `reduction_length` addends.
inline double float32_tolerance(std::int64_t reduction_length) {
    return error_bound(Arithmetic::fp32, reduction_length);
}

// Relative L2 error of what must be `added` more than expected, with nothing to spare where
// everything expected is zero. `got` has at least as many values as `expected`.
inline double strict_relative_error(const Floats& got, const Doubles& expected, double added = 0) {
    double error = 0;
    double size = 1e-30;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        error += std::pow(double{got[i]} - expected[i] - added, 2);
        size += expected[i] * expected[i];
    }
    return std::sqrt(error / size);
}

// Whether `got` is inside the tolerance; says which element is worst where it is not. NaN never is.
template <class T>
::testing::AssertionResult is_close(std::string_view what, std::span<const T> got,
                                    std::span<const double> expected, double tolerance) {
    const double error = relative_l2_error(got, expected);
    if (error <= tolerance) {
        return ::testing::AssertionSuccess();
    }
    auto failure = ::testing::AssertionFailure() << what << " has a relative L2 error of " << error
                                                 << ", allowed are " << tolerance;
    if (got.size() != expected.size()) {
        return failure << "; it has " << got.size() << " values instead of " << expected.size();
    }
    std::size_t worst = 0;
    double furthest = -1;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const double distance = std::abs(static_cast<double>(got[i]) - expected[i]);
        if (std::isnan(distance) || distance > furthest) {
            worst = i;
            furthest = distance;
        }
        if (std::isnan(distance)) {
            break;
        }
    }
    return failure << "; the worst is element " << worst << " of " << got.size() << ", "
                   << got[worst] << " instead of " << expected[worst];
}

template <class T>
::testing::AssertionResult is_close(std::string_view what, const std::vector<T>& got,
                                    std::span<const double> expected, double tolerance) {
    return is_close(what, std::span<const T>(got), expected, tolerance);
}

}  // namespace trainscope::testing
