// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace trainscope {

Shape::Shape(std::initializer_list<std::int64_t> dims)
    : Shape(std::span<const std::int64_t>(dims.begin(), dims.size())) {}

Shape::Shape(std::span<const std::int64_t> dims) : rank_(dims.size()) {
    assert(dims.size() <= max_rank);
    std::copy(dims.begin(), dims.end(), dims_.begin());
}

std::int64_t Shape::elements() const {
    std::int64_t product = 1;
    for (const std::int64_t dim : dims()) {
        product *= dim;
    }
    return product;
}

Shape Shape::with_batch(std::int64_t n) const {
    assert(rank_ < max_rank);
    Shape result;
    result.rank_ = rank_ + 1;
    result.dims_[0] = n;
    std::copy(dims_.begin(), dims_.begin() + static_cast<std::ptrdiff_t>(rank_),
              result.dims_.begin() + 1);
    return result;
}

std::string Shape::to_string() const {
    return fmt::format("[{}]", fmt::join(dims(), ", "));
}

std::int64_t checked_elements(std::span<const std::int64_t> dims) {
    constexpr std::int64_t limit = std::int64_t{1} << 62;
    std::int64_t product = 1;
    for (const std::int64_t dim : dims) {
        if (dim < 0 || (dim != 0 && product > limit / dim)) {
            return -1;
        }
        product *= dim;
    }
    return product;
}

std::vector<std::int64_t> read_sizes(std::string_view text, std::int64_t most) {
    std::vector<std::int64_t> sizes;
    while (true) {
        const std::string_view part = text.substr(0, text.find('x'));
        std::int64_t size = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), size);
        if (error != std::errc{} || end != part.data() + part.size() || size < 1 || size > most) {
            return {};
        }
        sizes.push_back(size);
        if (part.size() == text.size()) {
            return sizes;
        }
        text.remove_prefix(part.size() + 1);
    }
}

}  // namespace trainscope
