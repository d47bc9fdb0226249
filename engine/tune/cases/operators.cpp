// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/shape.h"
#include "engine/tune/cases/operator.h"

namespace trainscope {
namespace bench {

const std::vector<Operator>& operators() {
    static const std::vector<Operator> table{add(),
                                             batch_norm(),
                                             batch_norm_relu(),
                                             conv2d(),
                                             conv_relu_pool(),
                                             dense(),
                                             dense_relu(),
                                             matrix_add(),
                                             matrix_inverse(),
                                             matrix_multiply(),
                                             matrix_pseudo_inverse(),
                                             max_pool2d(),
                                             optimizer(),
                                             relu(),
                                             softmax_cross_entropy()};
    return table;
}

const Operator* find_operator(std::string_view name) {
    for (const Operator& known : operators()) {
        if (known.name == name) {
            return &known;
        }
    }
    return nullptr;
}

Result<void> check_size(std::string_view tensor, std::initializer_list<std::int64_t> sizes) {
    constexpr std::int64_t most = std::int64_t{1} << 31;
    const std::int64_t elements = checked_elements({sizes.begin(), sizes.size()});
    if (elements < 0 || elements > most) {
        return make_error(ErrorCode::invalid_argument,
                          "{} would have more than {} elements; make the shape smaller", tensor,
                          most);
    }
    return {};
}

Result<void> check_window(std::string_view what, std::int64_t window, std::int64_t size,
                          std::int64_t pad) {
    if (window > size + 2 * pad) {
        return make_error(ErrorCode::invalid_argument,
                          "{} is larger than its input of {} with a padding of {}", what, size,
                          pad);
    }
    return {};
}

}  // namespace bench

std::vector<std::string_view> bench_operator_names() {
    std::vector<std::string_view> names;
    for (const bench::Operator& op : bench::operators()) {
        names.push_back(op.name);
    }
    return names;
}

std::span<const BenchField> bench_fields(std::string_view op) {
    const bench::Operator* const known = bench::find_operator(op);
    return known == nullptr ? std::span<const BenchField>() : known->fields;
}

Result<void> check_bench_shape(const BenchShape& shape) {
    const bench::Operator* const known = bench::find_operator(shape.op);
    if (known == nullptr) {
        return make_error(ErrorCode::not_found, "there is no operator '{}' to be benched",
                          shape.op);
    }
    if (const Result<void> checked = known->check(shape); !checked) {
        return make_error(checked.error().code, "the {} shape {} cannot be: {}", shape.op,
                          shape.to_string(), checked.error().message);
    }
    return {};
}

Result<std::unique_ptr<BenchCase>> make_bench_case(const BenchShape& shape, std::uint64_t seed) {
    if (const Result<void> checked = check_bench_shape(shape); !checked) {
        return make_error(checked.error());
    }
    return bench::find_operator(shape.op)->make(shape, BenchData(seed));
}

}  // namespace trainscope
