// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/conv_relu_pool.h"

namespace trainscope {

std::optional<std::string> why_not_pooled_by_two(const ConvReluPool::Shape& shape) {
    const Conv2d::Shape& conv = shape.conv;
    const MaxPool2d::Shape& pool = shape.pool;
    if (conv.stride_h != 1 || conv.stride_w != 1) {
        return "it is made for convolutions of stride 1";
    }
    if (conv.groups != 1) {
        return "it is made for convolutions without groups";
    }
    if (pool.kernel_h != 2 || pool.kernel_w != 2 || pool.stride_h != 2 || pool.stride_w != 2 ||
        pool.pad_h != 0 || pool.pad_w != 0) {
        return "it is made for pooling of 2x2 windows of stride 2 without padding";
    }
    if (pool.h != conv.out_h() || pool.w != conv.out_w() || pool.c != conv.k || pool.n != conv.n) {
        return "the pooling does not take the convolution's output";
    }
    if (pool.h < 2 || pool.w < 2) {
        return "the convolution's output is smaller than a pooling window";
    }
    return std::nullopt;
}

}  // namespace trainscope
