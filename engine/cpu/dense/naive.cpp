// SPDX-License-Identifier: GPL-3.0-or-later
// Dense `naive`: the first rung, three plain loops around a sum, as the definition says. Samples
// (forward, dx) or outputs (dweight) go to threads.
// Bound by the latency of one addition after the other and, for dx, by reads across rows. Refuses
// nothing.
#include "engine/cpu/parallel.h"
#include "engine/cpu/reduce.h"
#include "engine/ops/dense.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope::cpu {
namespace {

class Naive final : public Dense::Kernel {
  public:
    Naive(const Dense::Shape& shape, const KernelContext& context)
        : shape_(shape), threads_(context.threads) {}

    void forward(const Dense::Forward& args) override {
        parallel_for(threads_, shape_.n, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t n = begin; n < end; ++n) {
                for (std::int64_t out = 0; out < shape_.out; ++out) {
                    double total = args.bias == nullptr ? 0 : args.bias[out];
                    for (std::int64_t in = 0; in < shape_.in; ++in) {
                        total += args.x[n * shape_.in + in] * args.weight[out * shape_.in + in];
                    }
                    args.y[n * shape_.out + out] = static_cast<float>(total);
                }
            }
        });
    }

    void backward(const Dense::Backward& args) override {
        if (args.dx != nullptr) {
            input_gradient(args);
        }
        weight_gradient(args);
    }

  private:
    void input_gradient(const Dense::Backward& args) const {
        parallel_for(threads_, shape_.n, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t n = begin; n < end; ++n) {
                for (std::int64_t in = 0; in < shape_.in; ++in) {
                    double total = 0;
                    for (std::int64_t out = 0; out < shape_.out; ++out) {
                        total += args.dy[n * shape_.out + out] * args.weight[out * shape_.in + in];
                    }
                    args.dx[n * shape_.in + in] = static_cast<float>(total);
                }
            }
        });
    }

    void weight_gradient(const Dense::Backward& args) const {
        parallel_for(threads_, shape_.out, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t out = begin; out < end; ++out) {
                for (std::int64_t in = 0; in < shape_.in; ++in) {
                    double total = 0;
                    for (std::int64_t n = 0; n < shape_.n; ++n) {
                        total += args.dy[n * shape_.out + out] * args.x[n * shape_.in + in];
                    }
                    put(args.dweight[out * shape_.in + in], total, args.accumulate);
                }
                if (args.dbias != nullptr) {
                    double total = 0;
                    for (std::int64_t n = 0; n < shape_.n; ++n) {
                        total += args.dy[n * shape_.out + out];
                    }
                    put(args.dbias[out], total, args.accumulate);
                }
            }
        });
    }

    Dense::Shape shape_;
    int threads_;
};

const Registered<Dense> registered{
    DeviceKind::cpu,
    {.name = "naive",
     .description = "Three plain loops, as the definition says.",
     .refuses = [](const Dense::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const Dense::Shape&, const KernelContext&) { return std::int64_t{0}; },
     .make = [](const Dense::Shape& shape, const KernelContext& context)
         -> std::unique_ptr<Dense::Kernel> { return std::make_unique<Naive>(shape, context); }}};

}  // namespace
}  // namespace trainscope::cpu
