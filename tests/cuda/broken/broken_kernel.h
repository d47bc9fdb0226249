// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels with one fault each, and the same kernel without it. They are compiled as the backend's
// are for the checked device; the test runs each and expects that fault, and none from the right
// one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/cuda/emulation/faults.h"
#include "engine/cuda/launch.h"
#include "tests/cuda/device_array.h"

namespace trainscope::testing {

struct BrokenKernel {
    std::string name;
    emulation::FaultKind expected;
    std::function<void()> broken;
    std::function<void()> right;
};

std::vector<BrokenKernel>& broken_kernels();

struct RegisteredBrokenKernel {
    explicit RegisteredBrokenKernel(BrokenKernel kernel) {
        broken_kernels().push_back(std::move(kernel));
    }
};

inline std::vector<float> ramp(std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<float>(i % 13);
    }
    return values;
}

}  // namespace trainscope::testing
