// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution, ReLU and pooling one by one on this device.
#include "engine/cuda/kernel.h"
#include "engine/ops/conv_relu_pool.h"

namespace trainscope::cuda {
namespace {

const Registered<ConvReluPool> registered{device_kind, separate_conv_relu_pool()};

}  // namespace
}  // namespace trainscope::cuda
