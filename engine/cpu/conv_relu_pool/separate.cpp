// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution, ReLU and pooling one by one on the CPU.
#include "engine/ops/conv_relu_pool.h"

namespace trainscope::cpu {
namespace {

const Registered<ConvReluPool> registered{DeviceKind::cpu, separate_conv_relu_pool()};

}  // namespace
}  // namespace trainscope::cpu
