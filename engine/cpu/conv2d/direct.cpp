// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution `direct`: the first rung, the definition itself. For each plane and each tap of the
// filter a row of one plane is scaled and added to a row of the other; rows are vectorised, planes
// go to threads. Needs no workspace and no reordering.
// Bound by loads and stores: every multiply-add reads and writes its sum. Refuses nothing.
#include <algorithm>

#include "engine/cpu/conv2d/channel_sums.h"
#include "engine/cpu/parallel.h"
#include "engine/cpu/reduce.h"
#include "engine/cpu/window.h"
#include "engine/ops/conv2d.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope::cpu {
namespace {

class Direct final : public Conv2d::Kernel {
  public:
    Direct(const Conv2d::Shape& shape, const KernelContext& context)
        : shape_(shape),
          threads_(context.threads),
          rows_{shape.h, shape.out_h(), shape.stride_h, shape.pad_h},
          columns_{shape.w, shape.out_w(), shape.stride_w, shape.pad_w},
          group_c_(shape.c / shape.groups),
          group_k_(shape.k / shape.groups) {}

    void forward(const Conv2d::Forward& args) override {
        parallel_for(threads_, shape_.n * shape_.k, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t plane = begin; plane < end; ++plane) {
                forward_plane(args, plane / shape_.k, plane % shape_.k);
            }
        });
    }

    void backward(const Conv2d::Backward& args) override {
        if (args.dx != nullptr) {
            parallel_for(threads_, shape_.n * shape_.c, [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t plane = begin; plane < end; ++plane) {
                    input_gradient_plane(args, plane / shape_.c, plane % shape_.c);
                }
            });
        }
        parallel_for(threads_, shape_.k * group_c_, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t filter = begin; filter < end; ++filter) {
                weight_gradient_filter(args, filter / group_c_, filter % group_c_);
            }
        });
        bias_gradient(shape_, args, threads_);
    }

  private:
    std::int64_t input_plane(std::int64_t n, std::int64_t c) const {
        return (n * shape_.c + c) * shape_.h * shape_.w;
    }
    std::int64_t output_plane(std::int64_t n, std::int64_t k) const {
        return (n * shape_.k + k) * rows_.out * columns_.out;
    }
    std::int64_t filter(std::int64_t k, std::int64_t c_in_group) const {
        return (k * group_c_ + c_in_group) * shape_.r * shape_.s;
    }

    // Calls body(x offset, y offset, count) for each row of outputs that sees the tap (r, s):
    // output y + i meets input x + i * stride_w.
    template <class Body>
    void for_rows(std::int64_t r, std::int64_t s, const Body& body) const {
        const Axis::Range oh = rows_.outputs_of(r);
        const Axis::Range ow = columns_.outputs_of(s);
        if (ow.size() == 0) {
            return;
        }
        for (std::int64_t row = oh.begin; row < oh.end; ++row) {
            body(rows_.input_of(row, r) * shape_.w + columns_.input_of(ow.begin, s),
                 row * columns_.out + ow.begin, ow.size());
        }
    }

    void forward_plane(const Conv2d::Forward& args, std::int64_t n, std::int64_t k) const {
        float* y = args.y + output_plane(n, k);
        std::fill_n(y, rows_.out * columns_.out, args.bias == nullptr ? 0.0F : args.bias[k]);
        const std::int64_t stride = shape_.stride_w;
        for (std::int64_t c = 0; c < group_c_; ++c) {
            const float* x = args.x + input_plane(n, k / group_k_ * group_c_ + c);
            const float* weight = args.weight + filter(k, c);
            for (std::int64_t r = 0; r < shape_.r; ++r) {
                for (std::int64_t s = 0; s < shape_.s; ++s) {
                    const float w = weight[r * shape_.s + s];
                    for_rows(r, s, [&](std::int64_t at_x, std::int64_t at_y, std::int64_t count) {
                        const float* __restrict from = x + at_x;
                        float* __restrict to = y + at_y;
                        if (stride == 1) {
                            for (std::int64_t i = 0; i < count; ++i) {
                                to[i] += w * from[i];
                            }
                        } else {
                            for (std::int64_t i = 0; i < count; ++i) {
                                to[i] += w * from[i * stride];
                            }
                        }
                    });
                }
            }
        }
    }

    void input_gradient_plane(const Conv2d::Backward& args, std::int64_t n, std::int64_t c) const {
        float* dx = args.dx + input_plane(n, c);
        std::fill_n(dx, shape_.h * shape_.w, 0.0F);
        const std::int64_t stride = shape_.stride_w;
        const std::int64_t first_k = c / group_c_ * group_k_;
        for (std::int64_t k = first_k; k < first_k + group_k_; ++k) {
            const float* dy = args.dy + output_plane(n, k);
            const float* weight = args.weight + filter(k, c % group_c_);
            for (std::int64_t r = 0; r < shape_.r; ++r) {
                for (std::int64_t s = 0; s < shape_.s; ++s) {
                    const float w = weight[r * shape_.s + s];
                    for_rows(r, s, [&](std::int64_t at_x, std::int64_t at_y, std::int64_t count) {
                        const float* __restrict from = dy + at_y;
                        float* __restrict to = dx + at_x;
                        if (stride == 1) {
                            for (std::int64_t i = 0; i < count; ++i) {
                                to[i] += w * from[i];
                            }
                        } else {
                            for (std::int64_t i = 0; i < count; ++i) {
                                to[i * stride] += w * from[i];
                            }
                        }
                    });
                }
            }
        }
    }

    void weight_gradient_filter(const Conv2d::Backward& args, std::int64_t k,
                                std::int64_t c_in_group) const {
        const std::int64_t c = k / group_k_ * group_c_ + c_in_group;
        const std::int64_t stride = shape_.stride_w;
        for (std::int64_t r = 0; r < shape_.r; ++r) {
            for (std::int64_t s = 0; s < shape_.s; ++s) {
                double total = 0;
                for (std::int64_t n = 0; n < shape_.n; ++n) {
                    const float* x = args.x + input_plane(n, c);
                    const float* dy = args.dy + output_plane(n, k);
                    for_rows(r, s, [&](std::int64_t at_x, std::int64_t at_y, std::int64_t count) {
                        if (stride == 1) {
                            total += dot(x + at_x, dy + at_y, count);
                        } else {
                            for (std::int64_t i = 0; i < count; ++i) {
                                total += x[at_x + i * stride] * dy[at_y + i];
                            }
                        }
                    });
                }
                put(args.dweight[filter(k, c_in_group) + r * shape_.s + s], total, args.accumulate);
            }
        }
    }

    Conv2d::Shape shape_;
    int threads_;
    Axis rows_, columns_;
    std::int64_t group_c_, group_k_;  // channels and filters of one group
};

const Registered<Conv2d> registered{
    DeviceKind::cpu,
    {.name = "direct",
     .description = "The definition as loops over rows: no workspace, good for tiny shapes.",
     .preference = 10,
     .refuses = [](const Conv2d::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const Conv2d::Shape&, const KernelContext&) { return std::int64_t{0}; },
     .make = [](const Conv2d::Shape& shape, const KernelContext& context)
         -> std::unique_ptr<Conv2d::Kernel> { return std::make_unique<Direct>(shape, context); }}};

}  // namespace
}  // namespace trainscope::cpu
