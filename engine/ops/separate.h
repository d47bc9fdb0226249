// SPDX-License-Identifier: GPL-3.0-or-later
// `separate`, which every fused operator has on every device: not a kernel but the choice of none.
// Who executes the network then runs the operators one by one, each by its own variant.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/ops/kernel_variant.h"

namespace trainscope {

inline constexpr std::string_view separate = "separate";

// Refuses nothing and makes nullptr. Its preference is 0: a fused variant that is below it for a
// shape is taken there by its name only.
template <class Op>
KernelVariant<Op> separate_variant() {
    using Shape = typename Op::Shape;
    return {.name = std::string(separate),
            .description = "Not fused: the operators run one by one, each by its variant.",
            .refuses = [](const Shape&) { return std::nullopt; },
            .workspace_bytes = [](const Shape&, const KernelContext&) { return std::int64_t{0}; },
            .make = [](const Shape&, const KernelContext&) -> std::unique_ptr<typename Op::Kernel> {
                return nullptr;
            }};
}

}  // namespace trainscope
