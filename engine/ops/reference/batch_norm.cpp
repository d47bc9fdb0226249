// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/reference/batch_norm.h"

#include <cmath>

namespace trainscope::reference {
namespace {

// Calls body(place) for each value of a channel.
template <class Body>
void for_values(const BatchNorm::Shape& shape, std::int64_t channel, const Body& body) {
    for (std::int64_t n = 0; n < shape.n; ++n) {
        for (std::int64_t i = 0; i < shape.h * shape.w; ++i) {
            body(at((n * shape.c + channel) * shape.h * shape.w + i));
        }
    }
}

// Mean and the sum of squared deviations from it.
struct Moments {
    double mean = 0, squares = 0;
};
Moments moments_of(const BatchNorm::Shape& shape, std::int64_t channel, const Values& x) {
    Moments moments;
    for_values(shape, channel, [&](std::size_t i) { moments.mean += x[i]; });
    moments.mean /= static_cast<double>(shape.values_per_channel());
    for_values(shape, channel, [&](std::size_t i) {
        moments.squares += (x[i] - moments.mean) * (x[i] - moments.mean);
    });
    return moments;
}

}  // namespace

BatchNormResult batch_norm(const BatchNorm::Shape& shape, double eps, double momentum,
                           const Values& x, const Values& gamma, const Values& beta,
                           const BatchNormState& before) {
    BatchNormResult result{zeros(shape.elements()), zeros(shape.c), zeros(shape.c), before};
    const auto count = static_cast<double>(shape.values_per_channel());
    for (std::int64_t c = 0; c < shape.c; ++c) {
        const Moments moments = moments_of(shape, c, x);
        const double invstd = 1 / std::sqrt(moments.squares / count + eps);
        for_values(shape, c, [&](std::size_t i) {
            result.y[i] = gamma[at(c)] * (x[i] - moments.mean) * invstd + beta[at(c)];
        });
        result.mean[at(c)] = moments.mean;
        result.invstd[at(c)] = invstd;
        double& mean = result.after.running_mean[at(c)];
        double& variance = result.after.running_var[at(c)];
        mean = (1 - momentum) * mean + momentum * moments.mean;
        variance = (1 - momentum) * variance + momentum * moments.squares / (count - 1);
    }
    return result;
}

Values batch_norm_inference(const BatchNorm::Shape& shape, double eps, const Values& x,
                            const Values& gamma, const Values& beta, const BatchNormState& state) {
    Values y = zeros(shape.elements());
    for (std::int64_t c = 0; c < shape.c; ++c) {
        const double invstd = 1 / std::sqrt(state.running_var[at(c)] + eps);
        for_values(shape, c, [&](std::size_t i) {
            y[i] = gamma[at(c)] * (x[i] - state.running_mean[at(c)]) * invstd + beta[at(c)];
        });
    }
    return y;
}

BatchNormGradients batch_norm_backward(const BatchNorm::Shape& shape, const Values& x,
                                       const Values& gamma, const Values& mean,
                                       const Values& invstd, const Values& dy) {
    BatchNormGradients result{zeros(shape.elements()), zeros(shape.c), zeros(shape.c)};
    const auto count = static_cast<double>(shape.values_per_channel());
    for (std::int64_t c = 0; c < shape.c; ++c) {
        const auto xhat = [&](std::size_t i) { return (x[i] - mean[at(c)]) * invstd[at(c)]; };
        double& dgamma = result.dgamma[at(c)];
        double& dbeta = result.dbeta[at(c)];
        for_values(shape, c, [&](std::size_t i) {
            dgamma += dy[i] * xhat(i);
            dbeta += dy[i];
        });
        const double scale = gamma[at(c)] * invstd[at(c)] / count;
        for_values(shape, c, [&](std::size_t i) {
            result.dx[i] = scale * (count * dy[i] - dbeta - xhat(i) * dgamma);
        });
    }
    return result;
}

}  // namespace trainscope::reference
