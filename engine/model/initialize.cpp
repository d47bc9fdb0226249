// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/initialize.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/core/random.h"

namespace trainscope {

void initialize(const ParameterSpec& parameter, std::uint64_t seed, std::size_t index,
                std::span<float> values) {
    assert(static_cast<std::int64_t>(values.size()) == parameter.shape.elements());
    Random random(seed, index);
    switch (parameter.init) {
        case ParameterInit::kaiming_normal: {
            const double deviation = std::sqrt(2.0 / static_cast<double>(parameter.fan_in));
            std::generate(values.begin(), values.end(),
                          [&] { return static_cast<float>(deviation * random.normal()); });
            break;
        }
        case ParameterInit::glorot_uniform: {
            const double limit =
                std::sqrt(6.0 / static_cast<double>(parameter.fan_in + parameter.fan_out));
            std::generate(values.begin(), values.end(),
                          [&] { return static_cast<float>(random.uniform(-limit, limit)); });
            break;
        }
        case ParameterInit::zeros:
            std::fill(values.begin(), values.end(), 0.0F);
            break;
        case ParameterInit::ones:
            std::fill(values.begin(), values.end(), 1.0F);
            break;
    }
}

}  // namespace trainscope
