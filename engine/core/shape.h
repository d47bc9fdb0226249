// SPDX-License-Identifier: GPL-3.0-or-later
// Dimensions of a tensor, outermost first, as in [N, C, H, W].
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope {

// No dimension, class or filter is counted beyond it, so that products of three fit 64 bits.
inline constexpr std::int64_t largest_dimension = std::int64_t{1} << 20;

class Shape {
  public:
    static constexpr std::size_t max_rank = 5;

    Shape() = default;
    Shape(std::initializer_list<std::int64_t> dims);
    explicit Shape(std::span<const std::int64_t> dims);

    std::size_t rank() const { return rank_; }
    std::int64_t operator[](std::size_t i) const {
        assert(i < rank_);
        return dims_[i];
    }
    std::span<const std::int64_t> dims() const { return {dims_.data(), rank_}; }
    // Product of the dimensions; 1 for rank 0. The makers of shapes bound every dimension, so that
    // the product fits 64 bits (see checked_elements for sizes that come from outside).
    std::int64_t elements() const;
    // This shape with `n` put before it: [C, H, W] -> [n, C, H, W].
    Shape with_batch(std::int64_t n) const;
    std::string to_string() const;  // "[16, 3, 3, 3]"

    bool operator==(const Shape& other) const = default;

  private:
    std::array<std::int64_t, max_rank> dims_{};
    std::size_t rank_ = 0;
};

// Whole numbers from 1 to `most` with an x between them: "3x32x32". Empty for any other text.
std::vector<std::int64_t> read_sizes(std::string_view text, std::int64_t most);

// Product of sizes given from outside, or -1 when one is negative or the product passes 2^62.
std::int64_t checked_elements(std::span<const std::int64_t> dims);

}  // namespace trainscope
