// SPDX-License-Identifier: GPL-3.0-or-later
// Softmax cross-entropy `log_sum_exp`: each row is shifted by its maximum, so that no exponential
// overflows; the exponentials of several rows are taken together, so that rows of ten classes still
// fill whole vectors. Bound by the exponentials; sums are in double. Refuses nothing.
#include <bit>
#include <cassert>
#include <cmath>

#include "engine/cpu/parallel.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/softmax_cross_entropy.h"

namespace trainscope::cpu {
namespace {

// e^x for x <= 0, within 2 units in the last place, branch-free so that loops over it vectorise.
// NaN stays NaN; below -87 the result is 0.
inline float exp_nonpositive(float x) {
    constexpr float log2e = 1.44269504F;
    // ln 2 in two parts: n * high is exact for the n that occur.
    constexpr float ln2_high = 0.693359375F;
    constexpr float ln2_low = -2.12194440e-4F;
    constexpr float round_bias = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
    const float clamped = x < -87.0F ? -87.0F : x;
    const float biased = clamped * log2e + round_bias;
    const float n = biased - round_bias;
    const float r = (clamped - n * ln2_high) - n * ln2_low;  // |r| <= ln 2 / 2
    // Taylor series to r^7, whose rest is below 6e-9 here.
    float p = 1.0F / 5040.0F;
    p = p * r + 1.0F / 720.0F;
    p = p * r + 1.0F / 120.0F;
    p = p * r + 1.0F / 24.0F;
    p = p * r + 1.0F / 6.0F;
    p = p * r + 0.5F;
    p = p * r + 1.0F;
    p = p * r + 1.0F;
    // 2^n by putting n, which is in the low bits of `biased`, into the exponent.
    const std::uint32_t exponent = (std::bit_cast<std::uint32_t>(biased) + 127u) << 23;
    const float scaled = p * std::bit_cast<float>(exponent);
    return x < -87.0F ? 0.0F : scaled;
}

struct RowFacts {
    float maximum;
    std::int64_t argmax;  // the first on ties
};
RowFacts facts_of(const float* row, std::int64_t classes) {
    RowFacts facts{row[0], 0};
    for (std::int64_t i = 1; i < classes; ++i) {
        if (row[i] > facts.maximum) {
            facts = {row[i], i};
        }
    }
    return facts;
}

class LogSumExp final : public SoftmaxCrossEntropy::Kernel {
    using Args = SoftmaxCrossEntropy::Args;
    using Totals = SoftmaxCrossEntropy::Totals;

  public:
    LogSumExp(const SoftmaxCrossEntropy::Shape& shape, const KernelContext& context)
        : shape_(shape),
          // Waking a thread costs about as much as a thousand exponentials.
          threads_(static_cast<int>(std::clamp<std::int64_t>(
              shape.n * shape.classes / 1024, 1, std::min(context.threads, max_threads)))) {}

    void run(const Args& args) override {
        assert((args.labels == nullptr) != (args.targets == nullptr));
        Totals totals[max_threads];
        on_threads(threads_, [&](int index) {
            totals[index] = rows(args, part_of(shape_.n, index, threads_));
        });
        for (int i = 1; i < threads_; ++i) {
            totals[0].loss_sum += totals[i].loss_sum;
            totals[0].correct += totals[i].correct;
        }
        args.totals->loss_sum += totals[0].loss_sum;
        args.totals->correct += totals[0].correct;
    }

  private:
    static constexpr int max_threads = 64;
    static constexpr std::int64_t buffer_size = 2048;
    static constexpr std::int64_t max_rows = 64;

    // Rows are taken in groups that fit the buffer; a row of more classes than that goes alone and
    // piecewise.
    Totals rows(const Args& args, Part part) const {
        Totals totals;
        const std::int64_t group =
            std::clamp<std::int64_t>(buffer_size / shape_.classes, 1, max_rows);
        for (std::int64_t n = part.begin; n < part.end; n += group) {
            const std::int64_t count = std::min(group, part.end - n);
            if (shape_.classes <= buffer_size) {
                group_of_rows(args, n, count, totals);
            } else {
                long_row(args, n, totals);
            }
        }
        return totals;
    }

    void group_of_rows(const Args& args, std::int64_t first, std::int64_t count,
                       Totals& totals) const {
        const std::int64_t classes = shape_.classes;
        float exponentials[buffer_size];
        RowFacts facts[max_rows];
        for (std::int64_t i = 0; i < count; ++i) {
            const float* row = args.logits + (first + i) * classes;
            facts[i] = facts_of(row, classes);
            for (std::int64_t j = 0; j < classes; ++j) {
                exponentials[i * classes + j] = row[j] - facts[i].maximum;
            }
        }
        for (std::int64_t i = 0; i < count * classes; ++i) {
            exponentials[i] = exp_nonpositive(exponentials[i]);
        }
        for (std::int64_t i = 0; i < count; ++i) {
            const float* row = exponentials + i * classes;
            double sum = 0;
            for (std::int64_t j = 0; j < classes; ++j) {
                sum += double{row[j]};
            }
            const double weight = add_loss(args, first + i, facts[i], sum, totals);
            write_gradient(args, first + i, row, classes, 0, static_cast<float>(weight / sum));
        }
    }

    void long_row(const Args& args, std::int64_t n, Totals& totals) const {
        const float* row = args.logits + n * shape_.classes;
        const RowFacts facts = facts_of(row, shape_.classes);
        float piece[buffer_size];
        double sum = 0;
        const auto exponentials_at = [&](std::int64_t begin) {
            const std::int64_t count = std::min(buffer_size, shape_.classes - begin);
            for (std::int64_t j = 0; j < count; ++j) {
                piece[j] = exp_nonpositive(row[begin + j] - facts.maximum);
            }
            return count;
        };
        for (std::int64_t begin = 0; begin < shape_.classes; begin += buffer_size) {
            const std::int64_t count = exponentials_at(begin);
            for (std::int64_t j = 0; j < count; ++j) {
                sum += double{piece[j]};
            }
        }
        const double weight = add_loss(args, n, facts, sum, totals);
        if (args.dlogits == nullptr) {
            return;
        }
        for (std::int64_t begin = 0; begin < shape_.classes; begin += buffer_size) {
            const std::int64_t count = exponentials_at(begin);
            write_gradient(args, n, piece, count, begin, static_cast<float>(weight / sum));
        }
    }

    // Adds sample n's loss; returns the sum of its targets. Before its logits are overwritten.
    double add_loss(const Args& args, std::int64_t n, const RowFacts& facts, double sum,
                    Totals& totals) const {
        const float* logits = args.logits + n * shape_.classes;
        const double log_sum = std::log(sum);
        if (args.labels != nullptr) {
            const std::int64_t label = args.labels[n];
            assert(label >= 0 && label < shape_.classes);
            totals.loss_sum += log_sum - (double{logits[label]} - double{facts.maximum});
            totals.correct += facts.argmax == label ? 1 : 0;
            return 1.0;
        }
        const float* targets = args.targets + n * shape_.classes;
        double weight = 0;
        double loss = 0;
        for (std::int64_t j = 0; j < shape_.classes; ++j) {
            const double target = targets[j];
            weight += target;
            loss += target * (log_sum - (double{logits[j]} - double{facts.maximum}));
        }
        totals.loss_sum += loss;
        totals.correct += facts.argmax == facts_of(targets, shape_.classes).argmax ? 1 : 0;
        return weight;
    }

    // dz = scale * e^(z - max) - target for classes [begin, begin + count) of sample n.
    void write_gradient(const Args& args, std::int64_t n, const float* exponentials,
                        std::int64_t count, std::int64_t begin, float scale) const {
        if (args.dlogits == nullptr) {
            return;
        }
        float* out = args.dlogits + n * shape_.classes + begin;
        if (args.targets != nullptr) {
            const float* targets = args.targets + n * shape_.classes + begin;
            for (std::int64_t j = 0; j < count; ++j) {
                out[j] = scale * exponentials[j] - targets[j];
            }
            return;
        }
        for (std::int64_t j = 0; j < count; ++j) {
            out[j] = scale * exponentials[j];
        }
        const std::int64_t label = args.labels[n];
        if (label >= begin && label < begin + count) {
            out[label - begin] -= 1.0F;
        }
    }

    SoftmaxCrossEntropy::Shape shape_;
    int threads_;
};

const Registered<SoftmaxCrossEntropy> registered{
    DeviceKind::cpu,
    {.name = "log_sum_exp",
     .description = "Log-sum-exp with the row's maximum subtracted, sums in double.",
     .refuses = [](const SoftmaxCrossEntropy::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const SoftmaxCrossEntropy::Shape&,
                           const KernelContext&) { return std::int64_t{0}; },
     .make = [](const SoftmaxCrossEntropy::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<SoftmaxCrossEntropy::Kernel> {
         return std::make_unique<LogSumExp>(shape, context);
     }}};

}  // namespace
}  // namespace trainscope::cpu
