// SPDX-License-Identifier: GPL-3.0-or-later
// Smallest and largest value of any part of a column without reading that part: a tree of blocks,
// 16 of one level in one of the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/core/column.h"

namespace trainscope::ui {

// What a set of values spans. NaN and Inf are counted and otherwise left out.
struct ValueRange {
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();
    double min_positive = std::numeric_limits<double>::infinity();  // for log scales
    std::uint64_t not_finite = 0;
    std::uint64_t not_positive = 0;  // finite, but no log scale can show them

    bool empty() const { return min > max; }
    void include(double value);
    void include(const ValueRange& other);
};

// Follows a column that only grows. The column itself is the lowest level and is handed in again
// with every question, so nothing is kept twice.
class Pyramid {
  public:
    static constexpr std::size_t fan_out = 16;

    // Takes in what is new in values[0, count). count never shrinks.
    void follow(const Column<double>& values, std::size_t count);
    std::size_t size() const { return size_; }

    // Of values[begin, end), end <= size().
    ValueRange range(const Column<double>& values, std::size_t begin, std::size_t end) const;

  private:
    // levels_[k][i] covers values [i * 16^(k+1), (i + 1) * 16^(k+1)); whole blocks only.
    std::vector<std::vector<ValueRange>> levels_;
    std::size_t size_ = 0;
};

}  // namespace trainscope::ui
