// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/conv_relu_pool.h"

namespace trainscope {

KernelVariant<ConvReluPool> separate_conv_relu_pool() {
    return {.name = "separate",
            .description =
                "Not fused: convolution, ReLU and pooling run one by one, each by its variant.",
            .refuses = [](const ConvReluPool::Shape&) { return std::nullopt; },
            .workspace_bytes = [](const ConvReluPool::Shape&,
                                  const KernelContext&) { return std::int64_t{0}; },
            .make = [](const ConvReluPool::Shape&, const KernelContext&)
                -> std::unique_ptr<ConvReluPool::Kernel> { return nullptr; }};
}

}  // namespace trainscope
