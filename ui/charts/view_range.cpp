// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/view_range.h"

#include <algorithm>
#include <cmath>

namespace trainscope::ui {
namespace {

constexpr double growth = 1.0 / 8;   // of the data, when everything is shown
constexpr double shift = 1.0 / 16;   // of the view, when a part is shown
constexpr double margin = 1.0 / 50;  // of the view, that may be empty on each side

}  // namespace

double ViewRange::smallestWidth() const {
    const double reach = std::max(std::abs(data_.low), std::abs(data_.high));
    return std::max({1e-6, reach * 1e-9, (data_.high - data_.low) * 1e-7});
}

void ViewRange::place(double low, double width) {
    const double data_width = data_.high - data_.low;
    const double widest = data_width > 0 ? data_width * (1 + growth) : 1;
    if (width >= widest) {
        fitted_ = true;
        shown_ = {data_.low, data_.low + widest};
        return;
    }
    fitted_ = false;
    width = std::max(width, smallestWidth());
    const double rightmost = data_.high + std::max(width * shift, data_width * growth) - width;
    const double leftmost = data_.low - width * margin;
    low = std::max(leftmost, std::min(low, rightmost));
    shown_ = {low, low + width};
}

void ViewRange::setData(Interval data) {
    data_ = data;
    if (follow_) {
        stayWithNewest();
    }
}

void ViewRange::stayWithNewest() {
    if (fitted_) {
        const double data_width = data_.high - data_.low;
        if (data_.high > shown_.high || data_.low < shown_.low ||
            width() > data_width * (1 + 2 * growth)) {
            shown_ = {data_.low, data_.low + (data_width > 0 ? data_width * (1 + growth) : 1)};
        }
    } else if (data_.high > shown_.high || data_.high < shown_.low) {
        const double step = width() * shift;
        const double high = std::ceil(data_.high / step) * step;
        shown_ = {high - width(), high};
    }
}

void ViewRange::moveTo(Interval data, Interval shown) {
    data_ = data;
    shown_ = shown.high > shown.low ? shown : Interval{shown.low, shown.low + smallestWidth()};
}

void ViewRange::setFollow(bool on) {
    if (on && !follow_ && !fitted_) {
        toEnd();
    }
    follow_ = on;
    if (on) {
        stayWithNewest();
    }
}

void ViewRange::fit() {
    fitted_ = true;
    const double data_width = data_.high - data_.low;
    shown_ = {data_.low, data_.low + (data_width > 0 ? data_width : 1)};
}

void ViewRange::zoomAround(double factor, double point) {
    if (!(factor > 0) || !std::isfinite(factor)) {
        return;
    }
    const double share = (point - shown_.low) / width();
    const double new_width = width() / factor;
    place(point - share * new_width, new_width);
    if (data_.high > shown_.high || data_.high < shown_.low) {
        follow_ = false;
    }
}

void ViewRange::zoom(double factor) {
    zoomAround(factor, follow_ ? std::min(data_.high, shown_.high) : shown_.low + width() / 2);
}

void ViewRange::pan(double distance) {
    follow_ = false;
    const double old_width = width();
    fitted_ = false;
    const double reach = (data_.high - data_.low) * growth;
    const double low = shown_.low + distance;
    // The newest data, or the oldest, may go as far as the other edge, but not out of view.
    const double rightmost = std::max(data_.high + reach - old_width, data_.low - reach);
    const double leftmost = std::min(data_.low - old_width * margin, rightmost);
    const double placed = std::clamp(low, leftmost, rightmost);
    shown_ = {placed, placed + old_width};
}

void ViewRange::show(Interval part) {
    if (!(part.high > part.low)) {
        return;
    }
    place(part.low, part.high - part.low);
    if (data_.high > shown_.high || data_.high < shown_.low) {
        follow_ = false;
    }
}

void ViewRange::toStart() {
    if (!fitted_) {
        place(data_.low - width() * margin, width());
    }
    follow_ = false;
}

void ViewRange::toEnd() {
    if (!fitted_) {
        const double old_width = width();
        shown_ = {data_.high - old_width * (1 - shift), data_.high + old_width * shift};
    }
    follow_ = true;
}

}  // namespace trainscope::ui
