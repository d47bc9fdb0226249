// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution, ReLU and pooling `separate`: not a kernel but the choice of none. It makes nullptr,
// and who executes the network then runs the three operators one by one, each by its own variant.
#include "engine/ops/conv_relu_pool.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope::cpu {
namespace {

const Registered<ConvReluPool> registered{
    DeviceKind::cpu,
    {.name = "separate",
     .description = "Not fused: convolution, ReLU and pooling run one by one, each by its variant.",
     .refuses = [](const ConvReluPool::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const ConvReluPool::Shape&,
                           const KernelContext&) { return std::int64_t{0}; },
     .make = [](const ConvReluPool::Shape&, const KernelContext&)
         -> std::unique_ptr<ConvReluPool::Kernel> { return nullptr; }}};

}  // namespace
}  // namespace trainscope::cpu
