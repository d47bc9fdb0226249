// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/reference/conv2d.h"

namespace trainscope::reference {
namespace {

// Calls body(x's place, weight's place, y's place) for every product of the definition
// y[n,k,oh,ow] = sum over c, r, s of weight[k,c,r,s] * x[n, group's first + c, ih, iw].
template <class Body>
void for_each_product(const Conv2d::Shape& shape, const Body& body) {
    const std::int64_t group_c = shape.c / shape.groups;
    const std::int64_t group_k = shape.k / shape.groups;
    std::int64_t y = 0;
    for (std::int64_t n = 0; n < shape.n; ++n) {
        for (std::int64_t k = 0; k < shape.k; ++k) {
            for (std::int64_t oh = 0; oh < shape.out_h(); ++oh) {
                for (std::int64_t ow = 0; ow < shape.out_w(); ++ow, ++y) {
                    for (std::int64_t c = 0; c < group_c; ++c) {
                        const std::int64_t plane = n * shape.c + k / group_k * group_c + c;
                        for (std::int64_t r = 0; r < shape.r; ++r) {
                            for (std::int64_t s = 0; s < shape.s; ++s) {
                                const std::int64_t ih = oh * shape.stride_h + r - shape.pad_h;
                                const std::int64_t iw = ow * shape.stride_w + s - shape.pad_w;
                                if (ih >= 0 && ih < shape.h && iw >= 0 && iw < shape.w) {
                                    body(at((plane * shape.h + ih) * shape.w + iw),
                                         at(((k * group_c + c) * shape.r + r) * shape.s + s),
                                         at(y));
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

// The filter that the output at this place belongs to.
std::size_t filter_of(const Conv2d::Shape& shape, std::size_t y) {
    return y / at(shape.out_h() * shape.out_w()) % at(shape.k);
}

}  // namespace

Values conv2d(const Conv2d::Shape& shape, const Values& x, const Values& weight,
              const Values& bias) {
    Values y = zeros(shape.output_elements());
    for_each_product(shape, [&](std::size_t at_x, std::size_t at_weight, std::size_t at_y) {
        y[at_y] += x[at_x] * weight[at_weight];
    });
    for (std::size_t i = 0; !bias.empty() && i < y.size(); ++i) {
        y[i] += bias[filter_of(shape, i)];
    }
    return y;
}

Conv2dGradients conv2d_backward(const Conv2d::Shape& shape, const Values& x, const Values& weight,
                                const Values& dy) {
    Conv2dGradients result{zeros(shape.input_elements()), zeros(shape.weight_elements()),
                           zeros(shape.bias ? shape.k : 0)};
    for_each_product(shape, [&](std::size_t at_x, std::size_t at_weight, std::size_t at_y) {
        result.dx[at_x] += dy[at_y] * weight[at_weight];
        result.dweight[at_weight] += dy[at_y] * x[at_x];
    });
    for (std::size_t i = 0; shape.bias && i < dy.size(); ++i) {
        result.dbias[filter_of(shape, i)] += dy[i];
    }
    return result;
}

}  // namespace trainscope::reference
