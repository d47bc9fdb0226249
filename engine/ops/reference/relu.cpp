// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/reference/relu.h"

namespace trainscope::reference {

// Written so that NaN, which compares with nothing, passes.
Values relu(const Values& x) {
    Values y = x;
    for (double& value : y) {
        value = value <= 0 ? 0 : value;
    }
    return y;
}

Values relu_backward(const Values& y, const Values& dy) {
    Values dx = dy;
    for (std::size_t i = 0; i < dx.size(); ++i) {
        dx[i] = y[i] <= 0 ? 0 : dx[i];
    }
    return dx;
}

}  // namespace trainscope::reference
