// SPDX-License-Identifier: GPL-3.0-or-later
// What is fused elsewhere, operator by operator on this device.
#include "engine/ops/separate.h"

#include "engine/cuda/kernel.h"
#include "engine/ops/batch_norm_relu.h"
#include "engine/ops/conv_relu_pool.h"
#include "engine/ops/dense_relu.h"

namespace trainscope::cuda {
namespace {

const Registered<ConvReluPool> conv_relu_pool{device_kind, separate_variant<ConvReluPool>()};
const Registered<BatchNormRelu> batch_norm_relu{device_kind, separate_variant<BatchNormRelu>()};
const Registered<DenseRelu> dense_relu{device_kind, separate_variant<DenseRelu>()};

}  // namespace
}  // namespace trainscope::cuda
