// SPDX-License-Identifier: GPL-3.0-or-later
// The moving average of the smoothed curves: exponential, with the start bias taken out as in Adam
// (Kingma and Ba 2014, section 3), so that the first values do not pull towards zero.
#pragma once

#include <cmath>
#include <limits>

namespace trainscope::ui {

class DebiasedEma {
  public:
    // Weight of the past, 0 (none) <= weight < 1.
    explicit DebiasedEma(double weight) : weight_(weight) {}

    // NaN and Inf give NaN, a gap in the curve, and leave the average as it was.
    double push(double value) {
        if (!std::isfinite(value)) {
            return std::numeric_limits<double>::quiet_NaN();
        }
        sum_ = weight_ * sum_ + (1 - weight_) * value;
        missing_ *= weight_;
        return sum_ / (1 - missing_);
    }

  private:
    double weight_;
    double sum_ = 0;
    double missing_ = 1;  // share of the start value, zero, that is still in the sum
};

}  // namespace trainscope::ui
