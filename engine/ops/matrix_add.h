// SPDX-License-Identifier: GPL-3.0-or-later
// sum = a + b of matrices, a tool for the bench. A matrix lies row by row without gaps, so that
// this is Add of its elements: each variant is one of Add's under this name.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "engine/ops/add.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope {

struct MatrixAdd {
    static constexpr std::string_view name = "matrix_add";
    static constexpr bool is_tool = true;

    struct Shape {
        std::int64_t m = 1, n = 1;  // rows and columns of each
        bool operator==(const Shape&) const = default;
    };
    using Kernel = Add::Kernel;
};

// The variant `name` of Add on that device. It is looked for when a kernel is made, when all are
// registered.
KernelVariant<MatrixAdd> matrix_add_by(DeviceKind device, std::string name,
                                       std::string description);

}  // namespace trainscope
