// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/reference/optimizer.h"

#include <cmath>

namespace trainscope::reference {
namespace {

// The settings as doubles, and what of them depends on the step.
struct Rule {
    explicit Rule(const OptimizerSettings& s, std::int64_t step)
        : kind(s.kind),
          rate(s.learning_rate),
          momentum(s.momentum),
          beta1(s.beta1),
          beta2(s.beta2),
          eps(s.eps),
          decay(s.kind == OptimizerKind::adamw ? s.weight_decay : 0.0F),
          correction1(1 - std::pow(beta1, static_cast<double>(step))),
          correction2(1 - std::pow(beta2, static_cast<double>(step))) {}

    void apply(double g, double& w, double& state0, double& state1) const {
        switch (kind) {
            case OptimizerKind::sgd:
                w -= rate * g;
                return;
            case OptimizerKind::momentum:
                state0 = momentum * state0 + g;
                w -= rate * state0;
                return;
            case OptimizerKind::adam:
            case OptimizerKind::adamw:
                w -= rate * decay * w;
                state0 = beta1 * state0 + (1 - beta1) * g;
                state1 = beta2 * state1 + (1 - beta2) * g * g;
                w -= rate * (state0 / correction1) / (std::sqrt(state1 / correction2) + eps);
                return;
        }
    }

    OptimizerKind kind;
    double rate, momentum, beta1, beta2, eps, decay, correction1, correction2;
};

}  // namespace

double optimizer_step(const OptimizerSettings& settings, std::int64_t step, double samples,
                      const Values& gradient_sums, OptimizerState& state) {
    const Rule rule(settings, step);
    double squared_norm = 0;
    for (std::size_t i = 0; i < gradient_sums.size(); ++i) {
        const double g = gradient_sums[i] / samples;
        squared_norm += g * g;
        rule.apply(g, state.parameters[i], state.state0[i], state.state1[i]);
    }
    return squared_norm;
}

}  // namespace trainscope::reference
