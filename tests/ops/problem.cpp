// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ops/problem.h"

#include "tests/ops/problems.h"

namespace trainscope::testing {

TestDevice& device_under_test() {
    static TestDevice device;
    return device;
}

const std::vector<OperatorProblems>& operator_problems() {
    static const std::vector<OperatorProblems> table{
        {"add", "", nullptr, ugly_add},
        {"batch_norm", "batch_norm", golden_batch_norm, ugly_batch_norm},
        {"conv2d", "conv2d", golden_conv2d, ugly_conv2d},
        {"conv_relu_pool", "conv2d", golden_conv_relu_pool, ugly_conv_relu_pool},
        {"dense", "dense", golden_dense, ugly_dense},
        {"max_pool2d", "max_pool2d", golden_max_pool2d, ugly_max_pool2d},
        {"optimizer", "", nullptr, ugly_optimizer},
        {"relu", "", nullptr, ugly_relu},
        {"softmax_cross_entropy", "softmax_cross_entropy", golden_softmax_cross_entropy,
         ugly_softmax_cross_entropy},
    };
    return table;
}

}  // namespace trainscope::testing
