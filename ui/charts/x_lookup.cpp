// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/x_lookup.h"

#include <algorithm>
#include <cmath>

namespace trainscope::ui {
namespace {

// Steps forward in doubled strides first: charts ask for one pixel column after the other, and the
// answer is close to where the last one was.
template <class Before>
std::size_t gallop(const Column<double>& x, std::size_t begin, std::size_t end, Before before) {
    std::size_t stride = 1;
    std::size_t low = begin;
    std::size_t high = begin;
    while (high < end && before(x[high])) {
        low = high + 1;
        high = std::min(end, high + stride);
        stride *= 2;
    }
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (before(x[middle])) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

}  // namespace

std::size_t firstNotBelow(const Column<double>& x, std::size_t begin, std::size_t end,
                          double value) {
    return gallop(x, begin, end, [value](double at) { return at < value; });
}

std::size_t firstAbove(const Column<double>& x, std::size_t begin, std::size_t end, double value) {
    return gallop(x, begin, end, [value](double at) { return at <= value; });
}

std::size_t nearestIndex(const Column<double>& x, std::size_t count, double value) {
    const std::size_t after = firstNotBelow(x, 0, count, value);
    if (after == 0) {
        return 0;
    }
    if (after == count) {
        return count - 1;
    }
    return value - x[after - 1] <= x[after] - value ? after - 1 : after;
}

double fractionalIndex(const Column<double>& x, std::size_t count, double value) {
    if (count < 2) {
        return count == 0 ? value : value - x[0];
    }
    const std::size_t after =
        std::clamp<std::size_t>(firstNotBelow(x, 0, count, value), 1, count - 1);
    const bool outside = value < x[0] || value > x[count - 1];
    // Outside, the average distance of all points is the stride: the last two may be equal.
    const double left = outside ? x[0] : x[after - 1];
    const double right = outside ? x[count - 1] : x[after];
    const double left_index = outside ? 0 : static_cast<double>(after - 1);
    const double indices = outside ? static_cast<double>(count - 1) : 1;
    return right > left ? left_index + (value - left) / (right - left) * indices : left_index;
}

double valueAt(const Column<double>& x, std::size_t count, double index) {
    if (count < 2) {
        return count == 0 ? index : x[0] + index;
    }
    const double last = static_cast<double>(count - 1);
    if (index < 0 || index > last) {
        return x[0] + index / last * (x[count - 1] - x[0]);
    }
    const auto left = std::min(static_cast<std::size_t>(index), count - 2);
    return x[left] + (index - static_cast<double>(left)) * (x[left + 1] - x[left]);
}

}  // namespace trainscope::ui
