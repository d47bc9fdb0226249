// SPDX-License-Identifier: GPL-3.0-or-later
// The bias gradient of a convolution: dy summed over samples and positions.
#pragma once

#include "engine/cpu/parallel.h"
#include "engine/cpu/reduce.h"
#include "engine/ops/conv2d.h"

namespace trainscope::cpu {

inline void bias_gradient(const Conv2d::Shape& shape, const Conv2d::Backward& args, int threads) {
    if (args.dbias == nullptr) {
        return;
    }
    const std::int64_t positions = shape.out_h() * shape.out_w();
    parallel_for(threads, shape.k, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) {
            double total = 0;
            for (std::int64_t n = 0; n < shape.n; ++n) {
                total += sum(args.dy + (n * shape.k + k) * positions, positions);
            }
            put(args.dbias[k], total, args.accumulate);
        }
    });
}

}  // namespace trainscope::cpu
