// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/record/safetensors.h"

namespace trainscope {

std::int64_t SafeTensor::elements() const {
    std::int64_t product = 1;
    for (const std::int64_t dim : shape) {
        product *= dim;
    }
    return product;
}

}  // namespace trainscope
