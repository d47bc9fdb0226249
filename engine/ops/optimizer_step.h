// SPDX-License-Identifier: GPL-3.0-or-later
// What one optimizer step uses for every parameter: the settings, and what of them depends on the
// step and on the samples, worked out in double once.
#pragma once

#include <cassert>
#include <cmath>

#include "engine/ops/optimizer.h"

namespace trainscope {

struct OptimizerStep {
    float scale;           // 1 / samples: makes g of a sum of gradients
    double squared_scale;  // the same for sums of squares
    float rate;            // the learning rate
    float momentum;
    float beta1, rest1, beta2, rest2;  // rest = 1 - beta
    float adam_rate;                   // rate / (1 - beta1^t)
    float root_scale;                  // 1 / sqrt(1 - beta2^t)
    float eps;
    float keep;  // 1 - rate * weight_decay: decoupled decay, before the update

    explicit OptimizerStep(const OptimizerUpdate::Args& args) {
        assert(args.samples > 0 && args.step >= 1);
        const OptimizerSettings& s = args.settings;
        const double mean = 1.0 / args.samples;
        const auto t = static_cast<double>(args.step);
        scale = static_cast<float>(mean);
        squared_scale = mean * mean;
        rate = s.learning_rate;
        momentum = s.momentum;
        beta1 = s.beta1;
        beta2 = s.beta2;
        rest1 = static_cast<float>(1.0 - static_cast<double>(s.beta1));
        rest2 = static_cast<float>(1.0 - static_cast<double>(s.beta2));
        adam_rate = static_cast<float>(static_cast<double>(s.learning_rate) /
                                       (1.0 - std::pow(static_cast<double>(s.beta1), t)));
        root_scale =
            static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(static_cast<double>(s.beta2), t)));
        eps = s.eps;
        keep = s.kind == OptimizerKind::adamw
                   ? static_cast<float>(1.0 - static_cast<double>(s.learning_rate) *
                                                  static_cast<double>(s.weight_decay))
                   : 1.0F;
    }
};

}  // namespace trainscope
