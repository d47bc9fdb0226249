// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution, ReLU and pooling `fused_direct`: direct convolution, vectorised over pooled columns,
// that keeps the four outputs of each pooling window in registers, so that the convolution's output
// never exists in memory. Backward uses that only the windows' winners have a gradient.
// Bound by multiply-adds; parallel over samples. Refuses strides, groups and pools other than 2x2.
#include <cassert>

#include "engine/cpu/conv_relu_pool/fused_backward.h"
#include "engine/cpu/conv_relu_pool/fused_forward.h"
#include "engine/cpu/conv_relu_pool/planes.h"
#include "engine/cpu/parallel.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope::cpu {
namespace {

using fused::Planes;

// Scratch of one thread, in floats.
struct Scratch {
    std::int64_t x;        // the sample as planes
    std::int64_t dx;       // its gradient as planes
    std::int64_t spread;   // gradients of winners: a channel of dy, or a row of all channels
    std::int64_t dweight;  // this thread's sums, dbias behind dweight
    std::int64_t total;

    explicit Scratch(const ConvReluPool::Shape& shape) {
        const Planes planes(shape);
        x = round_up(planes.floats());
        dx = x;
        spread = round_up(4 * round_up_to_vector(planes.pooled_w) *
                          std::max(planes.pooled_h, shape.conv.k));
        dweight = round_up(shape.conv.weight_elements() + shape.conv.k);
        total = x + dx + spread + dweight;
    }

  private:
    static std::int64_t round_up(std::int64_t floats) { return (floats + 15) / 16 * 16; }
};

class FusedDirect final : public ConvReluPool::Kernel {
  public:
    FusedDirect(const ConvReluPool::Shape& shape, const KernelContext& context)
        : shape_(shape),
          planes_(shape),
          scratch_(shape),
          threads_(static_cast<int>(std::clamp<std::int64_t>(shape.conv.n, 1, context.threads))) {}

    void forward(const ConvReluPool::Forward& args) override {
        const Conv2d::Shape& conv = shape_.conv;
        const auto sample =
            conv.r == 3 && conv.s == 3 ? fused::forward_sample<3, 3> : fused::forward_sample<0, 0>;
        on_threads(threads_, [&](int index) {
            float* x = scratch_of(args.workspace, index);
            std::fill_n(x, scratch_.x, 0.0F);
            const Part part = part_of(conv.n, index, threads_);
            for (std::int64_t n = part.begin; n < part.end; ++n) {
                planes_.split(args.x + n * conv.c * conv.h * conv.w, x);
                sample(shape_, planes_, x, args.weight, args.bias, args.y + n * pooled_floats(),
                       args.index + n * pooled_floats());
            }
        });
    }

    void backward(const ConvReluPool::Backward& args) override {
        on_threads(threads_, [&](int index) {
            backward_part(args, scratch_of(args.workspace, index),
                          part_of(shape_.conv.n, index, threads_));
        });
        const std::int64_t weights = shape_.conv.weight_elements();
        merge(args, 0, weights, args.dweight);
        if (args.dbias != nullptr) {
            merge(args, weights, shape_.conv.k, args.dbias);
        }
    }

  private:
    std::int64_t pooled_floats() const {
        return shape_.conv.k * planes_.pooled_h * planes_.pooled_w;
    }
    float* scratch_of(void* workspace, int index) const {
        return static_cast<float*>(workspace) + index * scratch_.total;
    }

    void backward_part(const ConvReluPool::Backward& args, float* scratch, Part part) const {
        const Conv2d::Shape& conv = shape_.conv;
        const std::int64_t sample_floats = conv.c * conv.h * conv.w;
        float* x = scratch;
        float* dx = x + scratch_.x;
        float* spread = dx + scratch_.dx;
        float* dweight = spread + scratch_.spread;
        std::fill_n(x, scratch_.x, 0.0F);
        std::fill_n(spread, scratch_.spread, 0.0F);
        std::fill_n(dweight, scratch_.dweight, 0.0F);
        for (std::int64_t n = part.begin; n < part.end; ++n) {
            const float* dy = args.dy + n * pooled_floats();
            const std::uint8_t* index = args.index + n * pooled_floats();
            planes_.split(args.x + n * sample_floats, x);
            dweight_sample(x, dy, index, spread, dweight);
            if (args.dx != nullptr) {
                std::fill_n(dx, scratch_.dx, 0.0F);
                dx_sample(args.weight, dy, index, spread, dx);
                planes_.join(dx, args.dx + n * sample_floats);
            }
        }
    }

    void dweight_sample(const float* x, const float* dy, const std::uint8_t* index, float* spread,
                        float* dweight) const {
        const Conv2d::Shape& conv = shape_.conv;
        const std::int64_t stride = round_up_to_vector(planes_.pooled_w);
        float* dbias = dweight + conv.weight_elements();
        for (std::int64_t k = 0; k < conv.k; ++k) {
            for (std::int64_t i = 0; i < planes_.pooled_h; ++i) {
                const std::int64_t at = (k * planes_.pooled_h + i) * planes_.pooled_w;
                fused::spread_row(dy + at, index + at, planes_.pooled_w, spread + i * 4 * stride,
                                  stride);
            }
            dbias[k] += fused::sum_of_spread(spread, planes_.pooled_h, stride);
            for (std::int64_t c = 0; c < conv.c; ++c) {
                float* taps = dweight + (k * conv.c + c) * conv.r * conv.s;
                const float* channel = x + c * planes_.channel_floats();
                fused::for_each_tap_block(
                    conv.r, conv.s, [&]<int R, int S>(std::int64_t r0, std::int64_t s0) {
                        fused::add_dweight<R, S>(planes_, channel, spread, stride, r0, s0, conv.s,
                                                 taps);
                    });
            }
        }
    }

    void dx_sample(const float* weight, const float* dy, const std::uint8_t* index, float* spread,
                   float* dx) const {
        const Conv2d::Shape& conv = shape_.conv;
        const std::int64_t stride = round_up_to_vector(planes_.pooled_w);
        const std::int64_t taps = conv.r * conv.s;
        for (std::int64_t i = 0; i < planes_.pooled_h; ++i) {
            for (std::int64_t k = 0; k < conv.k; ++k) {
                const std::int64_t at = (k * planes_.pooled_h + i) * planes_.pooled_w;
                fused::spread_row(dy + at, index + at, planes_.pooled_w, spread + k * 4 * stride,
                                  stride);
            }
            for (std::int64_t c = 0; c < conv.c; ++c) {
                float* row = dx + c * planes_.channel_floats() + 2 * i * planes_.row_floats();
                fused::for_each_tap_block(
                    conv.r, conv.s, [&]<int R, int S>(std::int64_t r0, std::int64_t s0) {
                        fused::add_dx<R, S>(planes_, spread, stride, weight + c * taps, conv.k,
                                            conv.c * taps, r0, s0, conv.s, row);
                    });
            }
        }
    }

    // Sums what the threads found, in the order of the threads.
    void merge(const ConvReluPool::Backward& args, std::int64_t offset, std::int64_t count,
               float* to) const {
        const float* first =
            scratch_of(args.workspace, 0) + scratch_.total - scratch_.dweight + offset;
        const int used = count < 16384 ? 1 : threads_;
        parallel_for(used, count, [&](std::int64_t begin, std::int64_t end) {
            if (!args.accumulate) {
                std::fill(to + begin, to + end, 0.0F);
            }
            for (int index = 0; index < threads_; ++index) {
                const float* from = first + index * scratch_.total;
                for (std::int64_t i = begin; i < end; ++i) {
                    to[i] += from[i];
                }
            }
        });
    }

    ConvReluPool::Shape shape_;
    Planes planes_;
    Scratch scratch_;
    int threads_;
};

const Registered<ConvReluPool> registered{
    DeviceKind::cpu,
    {.name = "fused_direct",
     .description =
         "Direct convolution that keeps each pooling window in registers and writes only "
         "its maximum.",
     .preference = 10,
     .refuses = why_not_pooled_by_two,
     .workspace_bytes =
         [](const ConvReluPool::Shape& shape, const KernelContext& context) {
             const std::int64_t threads =
                 std::clamp<std::int64_t>(shape.conv.n, 1, context.threads);
             return threads * Scratch(shape).total * static_cast<std::int64_t>(sizeof(float));
         },
     .make = [](const ConvReluPool::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<ConvReluPool::Kernel> {
         assert(!why_not_pooled_by_two(shape));
         return std::make_unique<FusedDirect>(shape, context);
     }}};

}  // namespace
}  // namespace trainscope::cpu
