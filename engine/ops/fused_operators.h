// SPDX-License-Identifier: GPL-3.0-or-later
// Which operators stand for several in a row, and for which: the one description of it that the
// plan, the network, the bench and the window read.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "engine/ops/batch_norm.h"
#include "engine/ops/batch_norm_relu.h"
#include "engine/ops/conv2d.h"
#include "engine/ops/conv_relu_pool.h"
#include "engine/ops/dense.h"
#include "engine/ops/dense_relu.h"
#include "engine/ops/max_pool2d.h"
#include "engine/ops/relu.h"

namespace trainscope {

struct FusedOperator {
    std::string_view op;                      // "conv_relu_pool"
    std::span<const std::string_view> parts;  // "conv2d", "relu", "max_pool2d"

    bool has_part(std::string_view name) const {
        return std::find(parts.begin(), parts.end(), name) != parts.end();
    }
};

inline constexpr std::string_view parts_of_conv_relu_pool[] = {Conv2d::name, Relu::name,
                                                               MaxPool2d::name};
inline constexpr std::string_view parts_of_batch_norm_relu[] = {BatchNorm::name, Relu::name};
inline constexpr std::string_view parts_of_dense_relu[] = {Dense::name, Relu::name};

// None begins with an operator that another has as well: a node belongs to one at most.
inline constexpr FusedOperator fused_operators[] = {{ConvReluPool::name, parts_of_conv_relu_pool},
                                                    {BatchNormRelu::name, parts_of_batch_norm_relu},
                                                    {DenseRelu::name, parts_of_dense_relu}};

}  // namespace trainscope
