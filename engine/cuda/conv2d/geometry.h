// SPDX-License-Identifier: GPL-3.0-or-later
// A convolution's shape as kernels want it: 32-bit numbers, for a device divides 64-bit ones
// slowly, and with it what the functions of the shape, which are the host's, work out. What lies
// within one sample is counted in 32 bits; only samples are stepped over in 64.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "engine/cuda/launch.h"
#include "engine/ops/conv2d.h"

namespace trainscope::cuda::conv2d {

struct Geometry {
    std::int64_t n;
    int c, h, w;
    int k, r, s;
    int stride_h, stride_w;
    int pad_h, pad_w;
    int group_c, group_k;  // channels and filters of a group
    int out_h, out_w;
    int weights;  // of all filters

    __device__ int taps() const { return r * s; }
    __device__ int plane() const { return h * w; }
    __device__ int out_plane() const { return out_h * out_w; }
    __device__ int sample() const { return c * h * w; }
    __device__ int out_sample() const { return k * out_h * out_w; }
};

inline Geometry geometry_of(const Conv2d::Shape& s) {
    const auto small = [](std::int64_t value) { return static_cast<int>(value); };
    return {.n = s.n,
            .c = small(s.c),
            .h = small(s.h),
            .w = small(s.w),
            .k = small(s.k),
            .r = small(s.r),
            .s = small(s.s),
            .stride_h = small(s.stride_h),
            .stride_w = small(s.stride_w),
            .pad_h = small(s.pad_h),
            .pad_w = small(s.pad_w),
            .group_c = small(s.c / s.groups),
            .group_k = small(s.k / s.groups),
            .out_h = small(s.out_h()),
            .out_w = small(s.out_w()),
            .weights = small(s.weight_elements())};
}

// Why 32 bits cannot count what is in a sample or in the weights; nullopt when they can. Half of
// their range, so that what is added while walking over them stays inside.
inline std::optional<std::string> too_large(const Conv2d::Shape& s) {
    constexpr std::int64_t most = std::numeric_limits<int>::max() / 2;
    const std::int64_t counted =
        std::max({s.c * (s.h + 2 * s.pad_h) * (s.w + 2 * s.pad_w), s.k * s.out_h() * s.out_w(),
                  s.weight_elements(), s.stride_h, s.stride_w});
    if (counted > most) {
        return "one sample or the weights have " + std::to_string(counted) +
               " values; this kernel counts to " + std::to_string(most);
    }
    return std::nullopt;
}

// A range of taps or windows along one axis.
struct Span {
    int begin, end;
};

// The taps of a filter of `size` that meet values, not padding, where the filter begins at `start`
// of an axis of `length`.
__device__ inline Span taps_inside(int start, int size, int length) {
    return {start < 0 ? -start : 0, start + size > length ? length - start : size};
}

// The windows that hold the value at `place`, which counts the padding.
__device__ inline Span windows_over(int place, int size, int stride, int windows) {
    const int last = place / stride + 1;
    return {place < size ? 0 : (place - size) / stride + 1, last < windows ? last : windows};
}

}  // namespace trainscope::cuda::conv2d
