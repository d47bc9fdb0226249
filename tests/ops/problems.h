// SPDX-License-Identifier: GPL-3.0-or-later
// Where the problems of each operator come from; problem.cpp makes the table of it.
#pragma once

#include "tests/ops/problem.h"

namespace trainscope::testing {

using Problems = std::vector<std::unique_ptr<Problem>>;

std::unique_ptr<Problem> golden_batch_norm(const GoldenCase& golden);
std::unique_ptr<Problem> golden_batch_norm_relu(const GoldenCase& golden);
std::unique_ptr<Problem> golden_conv2d(const GoldenCase& golden);
std::unique_ptr<Problem> golden_conv_relu_pool(const GoldenCase& golden);
std::unique_ptr<Problem> golden_dense(const GoldenCase& golden);
std::unique_ptr<Problem> golden_dense_relu(const GoldenCase& golden);
std::unique_ptr<Problem> golden_matrix_add(const GoldenCase& golden);
std::unique_ptr<Problem> golden_matrix_inverse(const GoldenCase& golden);
std::unique_ptr<Problem> golden_matrix_multiply(const GoldenCase& golden);
std::unique_ptr<Problem> golden_matrix_pseudo_inverse(const GoldenCase& golden);
std::unique_ptr<Problem> golden_max_pool2d(const GoldenCase& golden);
std::unique_ptr<Problem> golden_softmax_cross_entropy(const GoldenCase& golden);

Problems ugly_add();
Problems ugly_batch_norm();
Problems ugly_batch_norm_relu();
Problems ugly_conv2d();
Problems ugly_conv_relu_pool();
Problems ugly_dense();
Problems ugly_dense_relu();
Problems ugly_matrix_add();
Problems ugly_matrix_inverse();
Problems ugly_matrix_multiply();
Problems ugly_matrix_pseudo_inverse();
Problems ugly_max_pool2d();
Problems ugly_optimizer();
Problems ugly_relu();
Problems ugly_softmax_cross_entropy();

}  // namespace trainscope::testing
