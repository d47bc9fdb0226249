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
        {"batch_norm_relu", "batch_norm", golden_batch_norm_relu, ugly_batch_norm_relu},
        {"conv2d", "conv2d", golden_conv2d, ugly_conv2d},
        {"conv_relu_pool", "conv2d", golden_conv_relu_pool, ugly_conv_relu_pool},
        {"dense", "dense", golden_dense, ugly_dense},
        {"dense_relu", "dense", golden_dense_relu, ugly_dense_relu},
        {"matrix_add", "matrix", golden_matrix_add, ugly_matrix_add},
        {"matrix_inverse", "matrix", golden_matrix_inverse, ugly_matrix_inverse},
        {"matrix_multiply", "matrix", golden_matrix_multiply, ugly_matrix_multiply},
        {"matrix_pseudo_inverse", "matrix", golden_matrix_pseudo_inverse,
         ugly_matrix_pseudo_inverse},
        {"max_pool2d", "max_pool2d", golden_max_pool2d, ugly_max_pool2d},
        {"optimizer", "", nullptr, ugly_optimizer},
        {"relu", "", nullptr, ugly_relu},
        {"softmax_cross_entropy", "softmax_cross_entropy", golden_softmax_cross_entropy,
         ugly_softmax_cross_entropy},
    };
    return table;
}

}  // namespace trainscope::testing
