// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/reference/dense.h"

namespace trainscope::reference {

Values dense(const Dense::Shape& shape, const Values& x, const Values& weight, const Values& bias) {
    Values y = zeros(shape.n * shape.out);
    for (std::int64_t n = 0; n < shape.n; ++n) {
        for (std::int64_t o = 0; o < shape.out; ++o) {
            double sum = bias.empty() ? 0 : bias[at(o)];
            for (std::int64_t i = 0; i < shape.in; ++i) {
                sum += x[at(n * shape.in + i)] * weight[at(o * shape.in + i)];
            }
            y[at(n * shape.out + o)] = sum;
        }
    }
    return y;
}

DenseGradients dense_backward(const Dense::Shape& shape, const Values& x, const Values& weight,
                              const Values& dy) {
    DenseGradients result{zeros(shape.n * shape.in), zeros(shape.out * shape.in),
                          zeros(shape.bias ? shape.out : 0)};
    for (std::int64_t n = 0; n < shape.n; ++n) {
        for (std::int64_t o = 0; o < shape.out; ++o) {
            const double gradient = dy[at(n * shape.out + o)];
            for (std::int64_t i = 0; i < shape.in; ++i) {
                result.dx[at(n * shape.in + i)] += gradient * weight[at(o * shape.in + i)];
                result.dweight[at(o * shape.in + i)] += gradient * x[at(n * shape.in + i)];
            }
            if (shape.bias) {
                result.dbias[at(o)] += gradient;
            }
        }
    }
    return result;
}

}  // namespace trainscope::reference
