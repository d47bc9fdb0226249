// SPDX-License-Identifier: GPL-3.0-or-later
// Which outputs of a sliding window see real input through one of its taps, and not padding.
#pragma once

#include <algorithm>
#include <cstdint>

namespace trainscope::cpu {

// One axis of a convolution or pooling.
struct Axis {
    std::int64_t in, out, stride, pad;

    struct Range {
        std::int64_t begin, end;
        std::int64_t size() const { return end - begin; }
    };
    // The outputs o with 0 <= o * stride + tap - pad < in.
    Range outputs_of(std::int64_t tap) const {
        const std::int64_t before = std::max<std::int64_t>(pad - tap, 0);
        const std::int64_t first = std::min((before + stride - 1) / stride, out);
        const std::int64_t last = in - 1 - tap + pad;  // the largest o * stride that fits
        const std::int64_t end = last < 0 ? 0 : std::min(last / stride + 1, out);
        return {first, std::max(first, end)};
    }
    std::int64_t input_of(std::int64_t output, std::int64_t tap) const {
        return output * stride + tap - pad;
    }
};

}  // namespace trainscope::cpu
