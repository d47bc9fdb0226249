// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/pyramid.h"

#include <algorithm>
#include <cmath>

namespace trainscope::ui {

void ValueRange::include(double value) {
    if (!std::isfinite(value)) {
        ++not_finite;
        return;
    }
    min = std::min(min, value);
    max = std::max(max, value);
    if (value > 0) {
        min_positive = std::min(min_positive, value);
    } else {
        ++not_positive;
    }
}

void ValueRange::include(const ValueRange& other) {
    min = std::min(min, other.min);
    max = std::max(max, other.max);
    min_positive = std::min(min_positive, other.min_positive);
    not_finite += other.not_finite;
    not_positive += other.not_positive;
}

void Pyramid::follow(const Column<double>& values, std::size_t count) {
    for (std::size_t begin = size_ - size_ % fan_out; begin + fan_out <= count; begin += fan_out) {
        ValueRange block;
        for (std::size_t i = begin; i < begin + fan_out; ++i) {
            block.include(values[i]);
        }
        for (std::size_t level = 0;; ++level) {
            if (level == levels_.size()) {
                levels_.emplace_back();
            }
            levels_[level].push_back(block);
            const std::size_t blocks = levels_[level].size();
            if (blocks % fan_out != 0) {
                break;
            }
            block = {};
            for (std::size_t i = blocks - fan_out; i < blocks; ++i) {
                block.include(levels_[level][i]);
            }
        }
    }
    size_ = std::max(size_, count);
}

ValueRange Pyramid::range(const Column<double>& values, std::size_t begin, std::size_t end) const {
    ValueRange result;
    while (begin < end) {
        // The largest whole block that starts here and ends in time.
        std::size_t width = 1;
        std::size_t level = 0;
        while (level < levels_.size() && begin % (width * fan_out) == 0 &&
               begin + width * fan_out <= end &&
               begin / (width * fan_out) < levels_[level].size()) {
            width *= fan_out;
            ++level;
        }
        if (level == 0) {
            result.include(values[begin]);
        } else {
            result.include(levels_[level - 1][begin / width]);
        }
        begin += width;
    }
    return result;
}

}  // namespace trainscope::ui
