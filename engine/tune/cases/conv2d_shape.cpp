// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tune/cases/conv2d_shape.h"

namespace trainscope::bench {

std::vector<BenchField> conv2d_fields() {
    return {
        {.name = "n", .meaning = "samples", .usual = always<32>, .usual_text = "32"},
        {.name = "c", .meaning = "input channels", .usual = always<16>, .usual_text = "16"},
        {.name = "h", .meaning = "input height", .usual = always<28>, .usual_text = "28"},
        {.name = "w",
         .meaning = "input width",
         .usual = [](const BenchShape& s) { return s["h"]; },
         .usual_text = "h"},
        {.name = "k", .meaning = "filters", .usual = always<32>, .usual_text = "32"},
        {.name = "r",
         .meaning = "filter height",
         .usual = always<3>,
         .usual_text = "3",
         .most = 1024},
        {.name = "s",
         .meaning = "filter width",
         .usual = [](const BenchShape& s) { return s["r"]; },
         .usual_text = "r",
         .most = 1024},
        {.name = "stride", .meaning = "both ways", .usual = always<1>, .usual_text = "1"},
        {.name = "stride_w",
         .meaning = "another one along the width",
         .usual = [](const BenchShape& s) { return s["stride"]; },
         .usual_text = "stride",
         .shown_when_usual = false},
        {.name = "pad",
         .meaning = "zeros on each side",
         .usual = [](const BenchShape& s) { return s["r"] / 2; },
         .usual_text = "r/2",
         .least = 0},
        {.name = "pad_w",
         .meaning = "others along the width",
         .usual = [](const BenchShape& s) { return s["pad"]; },
         .usual_text = "pad",
         .least = 0,
         .shown_when_usual = false},
        {.name = "groups",
         .meaning = "of channels",
         .usual = always<1>,
         .usual_text = "1",
         .shown_when_usual = false},
        {.name = "bias",
         .meaning = "0: without",
         .usual = always<1>,
         .usual_text = "1",
         .least = 0,
         .most = 1,
         .shown_when_usual = false},
    };
}

Result<Conv2d::Shape> conv2d_shape(const BenchShape& shape) {
    const Conv2d::Shape s{.n = shape["n"],
                          .c = shape["c"],
                          .h = shape["h"],
                          .w = shape["w"],
                          .k = shape["k"],
                          .r = shape["r"],
                          .s = shape["s"],
                          .stride_h = shape["stride"],
                          .stride_w = shape["stride_w"],
                          .pad_h = shape["pad"],
                          .pad_w = shape["pad_w"],
                          .groups = shape["groups"],
                          .bias = shape["bias"] == 1};
    if (s.c % s.groups != 0 || s.k % s.groups != 0) {
        return make_error(ErrorCode::invalid_argument,
                          "groups={} does not divide both c={} and k={}", s.groups, s.c, s.k);
    }
    for (const Result<void>& checked :
         {check_window(fmt::format("r={}", s.r), s.r, s.h, s.pad_h),
          check_window(fmt::format("s={}", s.s), s.s, s.w, s.pad_w)}) {
        if (!checked) {
            return make_error(checked.error());
        }
    }
    for (const Result<void>& checked : {check_size("x", {s.n, s.c, s.h, s.w}),
                                        check_size("weight", {s.k, s.c / s.groups, s.r, s.s}),
                                        check_size("y", {s.n, s.k, s.out_h(), s.out_w()})}) {
        if (!checked) {
            return make_error(checked.error());
        }
    }
    return s;
}

}  // namespace trainscope::bench
