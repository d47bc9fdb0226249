// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/reference/max_pool2d.h"

#include <cmath>
#include <limits>

namespace trainscope::reference {
namespace {

// One window: its output's place, and where it begins in the plane (in the padding, if negative).
struct Window {
    std::int64_t output, plane, top, left;

    // The place in x of the window's element, or -1 where that is padding.
    std::int64_t input(const MaxPool2d::Shape& shape, std::int64_t index) const {
        const std::int64_t h = top + index / shape.kernel_w;
        const std::int64_t w = left + index % shape.kernel_w;
        const bool inside = h >= 0 && h < shape.h && w >= 0 && w < shape.w;
        return inside ? (plane * shape.h + h) * shape.w + w : -1;
    }
};

template <class Body>
void for_each_window(const MaxPool2d::Shape& shape, const Body& body) {
    std::int64_t output = 0;
    for (std::int64_t plane = 0; plane < shape.n * shape.c; ++plane) {
        for (std::int64_t oh = 0; oh < shape.out_h(); ++oh) {
            for (std::int64_t ow = 0; ow < shape.out_w(); ++ow, ++output) {
                body(Window{output, plane, oh * shape.stride_h - shape.pad_h,
                            ow * shape.stride_w - shape.pad_w});
            }
        }
    }
}

}  // namespace

MaxPool2dResult max_pool2d(const MaxPool2d::Shape& shape, const Values& x) {
    MaxPool2dResult result{zeros(shape.output_elements()),
                           std::vector<std::uint8_t>(at(shape.output_elements()))};
    for_each_window(shape, [&](const Window& window) {
        std::int64_t best = -1;
        for (std::int64_t i = 0; i < shape.kernel_h * shape.kernel_w; ++i) {
            const std::int64_t from = window.input(shape, i);
            if (from < 0) {
                continue;
            }
            const double value = x[at(from)];
            const double so_far = best < 0 ? 0 : x[at(window.input(shape, best))];
            if (best < 0 || value > so_far || (std::isnan(value) && !std::isnan(so_far))) {
                best = i;
            }
        }
        result.y[at(window.output)] = x[at(window.input(shape, best))];
        result.index[at(window.output)] = static_cast<std::uint8_t>(best);
    });
    return result;
}

Values max_pool2d_backward(const MaxPool2d::Shape& shape, const Values& dy,
                           const std::vector<std::uint8_t>& index) {
    Values dx = zeros(shape.input_elements());
    for_each_window(shape, [&](const Window& window) {
        dx[at(window.input(shape, index[at(window.output)]))] += dy[at(window.output)];
    });
    return dx;
}

}  // namespace trainscope::reference
