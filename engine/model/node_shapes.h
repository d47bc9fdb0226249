// SPDX-License-Identifier: GPL-3.0-or-later
// The operator shape of a node for a batch of `n` samples: what its kernels are chosen and made by.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/model/graph.h"
#include "engine/ops/batch_norm.h"
#include "engine/ops/conv2d.h"
#include "engine/ops/dense.h"
#include "engine/ops/max_pool2d.h"
#include "engine/ops/relu.h"
#include "engine/ops/softmax_cross_entropy.h"

namespace trainscope {

// Whose variants compute the node: "max_pool2d"; empty for a view (flatten).
std::string_view operator_of(const Node& node);

// The node's spec must be of that type.
Conv2d::Shape conv2d_shape(const Node& node, std::int64_t n);
BatchNorm::Shape batch_norm_shape(const Node& node, std::int64_t n);
Relu::Shape relu_shape(const Node& node, std::int64_t n);
MaxPool2d::Shape max_pool2d_shape(const Node& node, std::int64_t n);
Dense::Shape dense_shape(const Node& node, std::int64_t n);
SoftmaxCrossEntropy::Shape loss_shape(const Node& node, std::int64_t n);

}  // namespace trainscope
