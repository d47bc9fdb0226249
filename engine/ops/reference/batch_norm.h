// SPDX-License-Identifier: GPL-3.0-or-later
// The float64 reference of BatchNorm. eps and momentum are given as doubles: a shape's are floats,
// and 1e-5 as a float is not 1e-5.
#pragma once

#include "engine/ops/batch_norm.h"
#include "engine/ops/reference/values.h"

namespace trainscope::reference {

struct BatchNormState {
    Values running_mean, running_var;  // [C]
};
struct BatchNormResult {
    Values y;
    Values mean, invstd;  // [C], of the batch
    BatchNormState after;
};
BatchNormResult batch_norm(const BatchNorm::Shape& shape, double eps, double momentum,
                           const Values& x, const Values& gamma, const Values& beta,
                           const BatchNormState& before);
Values batch_norm_inference(const BatchNorm::Shape& shape, double eps, const Values& x,
                            const Values& gamma, const Values& beta, const BatchNormState& state);

struct BatchNormGradients {
    Values dx, dgamma, dbeta;
};
BatchNormGradients batch_norm_backward(const BatchNorm::Shape& shape, const Values& x,
                                       const Values& gamma, const Values& mean,
                                       const Values& invstd, const Values& dy);

}  // namespace trainscope::reference
