// SPDX-License-Identifier: GPL-3.0-or-later
// What is fused elsewhere, operator by operator on the CPU.
#include "engine/ops/separate.h"

#include "engine/ops/batch_norm_relu.h"
#include "engine/ops/conv_relu_pool.h"
#include "engine/ops/dense_relu.h"

namespace trainscope::cpu {
namespace {

const Registered<ConvReluPool> conv_relu_pool{DeviceKind::cpu, separate_variant<ConvReluPool>()};
const Registered<BatchNormRelu> batch_norm_relu{DeviceKind::cpu, separate_variant<BatchNormRelu>()};
const Registered<DenseRelu> dense_relu{DeviceKind::cpu, separate_variant<DenseRelu>()};

}  // namespace
}  // namespace trainscope::cpu
