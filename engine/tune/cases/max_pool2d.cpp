// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/max_pool2d.h"

#include "engine/ops/reference/max_pool2d.h"
#include "engine/tune/cases/operator.h"

namespace trainscope::bench {
namespace {

class MaxPool2dCase final : public CaseOf<MaxPool2d> {
  public:
    MaxPool2dCase(const BenchShape& written, const MaxPool2d::Shape& shape, BenchData data)
        : CaseOf(written, shape) {
        x_ = add_input("x", data.normal(shape.input_elements()));
        dy_ = add_input("dy", data.normal(shape.output_elements()));
        y_ = add_output("y", shape.output_elements());
        index_ = add({.name = "index",
                      .element = BenchElement::uint8,
                      .count = shape.output_elements(),
                      .saved = true});
        dx_ = add_output("dx", shape.input_elements());
        const auto outputs = static_cast<double>(shape.output_elements());
        const auto window = static_cast<double>(shape.kernel_h * shape.kernel_w);
        add_pass({.name = "forward",  // a comparison for each place of a window
                  .flops = outputs * window,
                  .reads = {x_},
                  .writes = {y_, index_}});
        add_pass({.name = "backward", .flops = outputs, .reads = {dy_, index_}, .writes = {dx_}});
    }

    std::vector<ExpectedTensor> expected(std::size_t pass) const override {
        auto pooled = reference::max_pool2d(op_shape(), doubles(x_));
        if (pass == 0) {
            return {{y_, std::move(pooled.y), 0},
                    {index_, {pooled.index.begin(), pooled.index.end()}, 0}};
        }
        return {{dx_, reference::max_pool2d_backward(op_shape(), doubles(dy_), pooled.index),
                 op_shape().kernel_h * op_shape().kernel_w}};
    }

  private:
    void run(MaxPool2d::Kernel& kernel, std::size_t pass, const BenchPointers& t,
             void* /*workspace*/) const override {
        auto* const index = t.as<std::uint8_t>(index_);
        if (pass == 0) {
            kernel.forward(t[x_], t[y_], index);
        } else {
            kernel.backward(t[dy_], index, t[dx_]);
        }
    }

    std::size_t x_ = 0, dy_ = 0, y_ = 0, index_ = 0, dx_ = 0;
};

Result<MaxPool2d::Shape> read(const BenchShape& shape) {
    const MaxPool2d::Shape s{.n = shape["n"],
                             .c = shape["c"],
                             .h = shape["h"],
                             .w = shape["w"],
                             .kernel_h = shape["kernel"],
                             .kernel_w = shape["kernel_w"],
                             .stride_h = shape["stride"],
                             .stride_w = shape["stride_w"],
                             .pad_h = shape["pad"],
                             .pad_w = shape["pad_w"]};
    if (s.kernel_h * s.kernel_w > 255) {
        return make_error(ErrorCode::invalid_argument, "a window has at most 255 places, not {}",
                          s.kernel_h * s.kernel_w);
    }
    if (s.pad_h >= s.kernel_h || s.pad_w >= s.kernel_w) {
        return make_error(ErrorCode::invalid_argument, "pad must be less than the kernel");
    }
    for (const Result<void>& checked :
         {check_window(fmt::format("kernel={}", s.kernel_h), s.kernel_h, s.h, s.pad_h),
          check_window(fmt::format("kernel_w={}", s.kernel_w), s.kernel_w, s.w, s.pad_w),
          check_size("x", {s.n, s.c, s.h, s.w})}) {
        if (!checked) {
            return make_error(checked.error());
        }
    }
    return s;
}

std::unique_ptr<BenchCase> make(const BenchShape& shape, BenchData data) {
    return std::make_unique<MaxPool2dCase>(shape, read(shape).value(), data);
}

}  // namespace

const Operator& max_pool2d() {
    static const Operator op{
        MaxPool2d::name,
        {{.name = "n", .meaning = "samples", .usual = always<32>, .usual_text = "32"},
         {.name = "c", .meaning = "channels", .usual = always<32>, .usual_text = "32"},
         {.name = "h", .meaning = "input height", .usual = always<28>, .usual_text = "28"},
         {.name = "w",
          .meaning = "input width",
          .usual = [](const BenchShape& s) { return s["h"]; },
          .usual_text = "h"},
         {.name = "kernel",
          .meaning = "the window, both ways",
          .usual = always<2>,
          .usual_text = "2",
          .most = 255},
         {.name = "kernel_w",
          .meaning = "another width of it",
          .usual = [](const BenchShape& s) { return s["kernel"]; },
          .usual_text = "kernel",
          .most = 255,
          .shown_when_usual = false},
         {.name = "stride",
          .meaning = "both ways",
          .usual = [](const BenchShape& s) { return s["kernel"]; },
          .usual_text = "kernel"},
         {.name = "stride_w",
          .meaning = "another one along the width",
          .usual = [](const BenchShape& s) { return s["stride"]; },
          .usual_text = "stride",
          .shown_when_usual = false},
         {.name = "pad",
          .meaning = "places on each side",
          .usual = always<0>,
          .usual_text = "0",
          .least = 0},
         {.name = "pad_w",
          .meaning = "others along the width",
          .usual = [](const BenchShape& s) { return s["pad"]; },
          .usual_text = "pad",
          .least = 0,
          .shown_when_usual = false}},
        check_by<read>,
        make};
    return op;
}

}  // namespace trainscope::bench
