// SPDX-License-Identifier: GPL-3.0-or-later
// All operators, for what does the same with the variants of each.
#pragma once

#include <tuple>

#include "engine/ops/add.h"
#include "engine/ops/batch_norm.h"
#include "engine/ops/batch_norm_relu.h"
#include "engine/ops/conv2d.h"
#include "engine/ops/conv_relu_pool.h"
#include "engine/ops/dense.h"
#include "engine/ops/dense_relu.h"
#include "engine/ops/matrix_add.h"
#include "engine/ops/matrix_inverse.h"
#include "engine/ops/matrix_multiply.h"
#include "engine/ops/matrix_pseudo_inverse.h"
#include "engine/ops/max_pool2d.h"
#include "engine/ops/optimizer.h"
#include "engine/ops/relu.h"
#include "engine/ops/softmax_cross_entropy.h"

namespace trainscope {

// Of<Conv2d, BatchNorm, ...>
template <template <class...> class Of>
using OfAllOperators = Of<Conv2d, ConvReluPool, BatchNorm, BatchNormRelu, Dense, DenseRelu, Relu,
                          MaxPool2d, SoftmaxCrossEntropy, OptimizerUpdate, Add, MatrixAdd,
                          MatrixMultiply, MatrixInverse, MatrixPseudoInverse>;

}  // namespace trainscope
