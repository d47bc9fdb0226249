// SPDX-License-Identifier: GPL-3.0-or-later
// Optimizer `fused`: one pass over all parameters updates parameter and state and sums the squared
// gradient, block by block so that the sum reads what the update left in the cache.
// Bound by memory: sgd moves 3, momentum 5, adam 7 floats a parameter. Refuses nothing.
#include <cmath>

#include "engine/cpu/parallel.h"
#include "engine/cpu/vector.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/optimizer.h"
#include "engine/ops/optimizer_step.h"

namespace trainscope::cpu {
namespace {

constexpr std::int64_t block = 1024;

// In double, so that neither many parameters nor large ones spoil the norm.
double squared_norm(const float* g, std::int64_t count) {
    constexpr int half = vector_lanes / 2;
    DoubleVector sums[2] = {};
    std::int64_t i = 0;
    for (; i + vector_lanes <= count; i += vector_lanes) {
        for (int h = 0; h < 2; ++h) {
            HalfVector values;
            std::memcpy(&values, g + i + h * half, sizeof values);
            const DoubleVector wide = __builtin_convertvector(values, DoubleVector);
            sums[h] += wide * wide;
        }
    }
    double sum = sum_of(sums[0] + sums[1]);
    for (; i < count; ++i) {
        const double value = g[i];
        sum += value * value;
    }
    return sum;
}

void sgd(float* __restrict w, const float* __restrict gradient, std::int64_t count, float scale,
         float rate) {
    for (std::int64_t i = 0; i < count; ++i) {
        w[i] -= rate * (gradient[i] * scale);
    }
}

void momentum(float* __restrict w, const float* __restrict gradient, float* __restrict velocity,
              std::int64_t count, float scale, float rate, float mu) {
    for (std::int64_t i = 0; i < count; ++i) {
        const float v = mu * velocity[i] + gradient[i] * scale;
        velocity[i] = v;
        w[i] -= rate * v;
    }
}

void adam(float* __restrict w, const float* __restrict gradient, float* __restrict first,
          float* __restrict second, std::int64_t count, const OptimizerStep& step) {
    const OptimizerStep a = step;
    for (std::int64_t i = 0; i < count; ++i) {
        const float g = gradient[i] * a.scale;
        const float m = a.beta1 * first[i] + a.rest1 * g;
        const float v = a.beta2 * second[i] + a.rest2 * (g * g);
        first[i] = m;
        second[i] = v;
        w[i] = w[i] * a.keep - a.adam_rate * m / (std::sqrt(v) * a.root_scale + a.eps);
    }
}

class Fused final : public OptimizerUpdate::Kernel {
    using Args = OptimizerUpdate::Args;

  public:
    Fused(const OptimizerUpdate::Shape& shape, const KernelContext& context)
        : shape_(shape),
          // Few parameters are done sooner than threads are woken.
          threads_(shape.parameters < 4 * block ? 1 : std::min(context.threads, max_threads)) {}

    void run(const Args& args) override {
        const OptimizerStep step(args);
        double sums[max_threads] = {};
        on_threads(threads_, [&](int index) {
            const Part part = part_of(shape_.parameters, index, threads_);
            sums[index] = update(args, step, part);
        });
        double sum = 0;
        for (int i = 0; i < threads_; ++i) {
            sum += sums[i];
        }
        *args.squared_norm = sum;
    }

  private:
    static constexpr int max_threads = 256;

    static double update(const Args& args, const OptimizerStep& step, Part part) {
        double sum = 0;
        for (std::int64_t i = part.begin; i < part.end; i += block) {
            const std::int64_t count = std::min(block, part.end - i);
            float* w = args.parameters + i;
            const float* g = args.gradients + i;
            switch (args.settings.kind) {
                case OptimizerKind::sgd:
                    sgd(w, g, count, step.scale, step.rate);
                    break;
                case OptimizerKind::momentum:
                    momentum(w, g, args.state0 + i, count, step.scale, step.rate, step.momentum);
                    break;
                case OptimizerKind::adam:
                case OptimizerKind::adamw:
                    adam(w, g, args.state0 + i, args.state1 + i, count, step);
                    break;
            }
            sum += squared_norm(g, count);
        }
        return sum * step.squared_scale;
    }

    OptimizerUpdate::Shape shape_;
    int threads_;
};

const Registered<OptimizerUpdate> registered{
    DeviceKind::cpu,
    {.name = "fused",
     .description = "One pass over all parameters that also sums the gradient's norm.",
     .refuses = [](const OptimizerUpdate::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const OptimizerUpdate::Shape&,
                           const KernelContext&) { return std::int64_t{0}; },
     .make = [](const OptimizerUpdate::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<OptimizerUpdate::Kernel> {
         return std::make_unique<Fused>(shape, context);
     }}};

}  // namespace
}  // namespace trainscope::cpu
