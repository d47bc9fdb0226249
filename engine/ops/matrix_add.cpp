// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/matrix_add.h"

#include <utility>

namespace trainscope {

KernelVariant<MatrixAdd> matrix_add_by(DeviceKind device, std::string name,
                                       std::string description) {
    const auto make = [device, name](
                          const MatrixAdd::Shape& shape,
                          const KernelContext& context) -> std::unique_ptr<MatrixAdd::Kernel> {
        for (const KernelVariant<Add>& variant : variants_of<Add>(device)) {
            if (variant.name == name) {
                return variant.make({.elements = shape.m * shape.n}, context);
            }
        }
        return nullptr;
    };
    return {.name = std::move(name),
            .description = std::move(description),
            .refuses = [](const MatrixAdd::Shape&) { return std::nullopt; },
            .workspace_bytes = [](const MatrixAdd::Shape&,
                                  const KernelContext&) { return std::int64_t{0}; },
            .make = make};
}

}  // namespace trainscope
