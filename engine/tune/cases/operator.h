// SPDX-License-Identifier: GPL-3.0-or-later
// What the bench knows of an operator: the fields of its shape and how a case is made of them. Each
// operator's file defines one; operators.cpp makes the table of them.
#pragma once

#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/tune/bench_case.h"
#include "engine/tune/bench_shape.h"

namespace trainscope::bench {

struct Operator {
    std::string_view name;
    // The first is what may be made smaller without changing what is computed for each of it: the
    // batch, or the elements; or it is a matrix's side, and of a smaller one errors say as much.
    std::vector<BenchField> fields;
    // Error: which field does not fit the others, to be read on from the shape.
    Result<void> (*check)(const BenchShape& shape);
    // Of a shape that was checked.
    std::unique_ptr<BenchCase> (*make)(const BenchShape& shape, BenchData data);
    int degree = 1;  // the flops grow with this power of the first field
};

// Sorted by name.
const std::vector<Operator>& operators();
// nullptr where there is none of that name.
const Operator* find_operator(std::string_view name);

const Operator& add();
const Operator& batch_norm();
const Operator& batch_norm_relu();
const Operator& conv2d();
const Operator& conv_relu_pool();
const Operator& dense();
const Operator& dense_relu();
const Operator& matrix_add();
const Operator& matrix_inverse();
const Operator& matrix_multiply();
const Operator& matrix_pseudo_inverse();
const Operator& max_pool2d();
const Operator& optimizer();
const Operator& relu();
const Operator& softmax_cross_entropy();

// Error invalid_argument when a tensor of these sizes would have more than 2^31 elements.
Result<void> check_size(std::string_view tensor, std::initializer_list<std::int64_t> sizes);
// Error invalid_argument when a window of `window` does not fit `size` with `pad` on both sides.
Result<void> check_window(std::string_view what, std::int64_t window, std::int64_t size,
                          std::int64_t pad);

// The check of an operator whose shape `read` makes of fields, or refuses.
template <auto read>
Result<void> check_by(const BenchShape& shape) {
    const auto made = read(shape);
    if (!made) {
        return make_error(made.error());
    }
    return {};
}

template <std::int64_t value>
std::int64_t always(const BenchShape&) {
    return value;
}

}  // namespace trainscope::bench
