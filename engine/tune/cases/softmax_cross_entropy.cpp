// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/softmax_cross_entropy.h"

#include <array>

#include "engine/ops/reference/softmax_cross_entropy.h"
#include "engine/tune/cases/operator.h"

namespace trainscope::bench {
namespace {

class SoftmaxCrossEntropyCase final : public CaseOf<SoftmaxCrossEntropy> {
  public:
    SoftmaxCrossEntropyCase(const BenchShape& written, const SoftmaxCrossEntropy::Shape& shape,
                            bool soft, BenchData data)
        : CaseOf(written, shape), soft_(soft) {
        const std::int64_t elements = shape.n * shape.classes;
        logits_ = add_input("logits", data.normal(elements, 4));
        if (soft) {
            targets_ = add_input("targets", data.uniform(elements, 0, 0.4));
        } else {
            targets_ =
                add_input("labels", BenchElement::int32, data.labels(shape.n, shape.classes));
        }
        dlogits_ = add_output("dlogits", elements);
        totals_ = add({.name = "loss",
                       .element = BenchElement::totals,
                       .count = 1,
                       .initial = std::vector<std::byte>(sizeof(SoftmaxCrossEntropy::Totals))});
        // For each logit: maximum, difference, exponential, sum, product, target's difference.
        add_pass({.name = "run",
                  .flops = 6 * static_cast<double>(elements),
                  .reads = {logits_, targets_},
                  .writes = {dlogits_, totals_}});
    }

    std::vector<ExpectedTensor> expected(std::size_t /*pass*/) const override {
        reference::Values targets = doubles(targets_);
        if (!soft_) {
            targets = reference::one_hot(op_shape(),
                                         std::vector<std::int32_t>(targets.begin(), targets.end()));
        }
        auto result = reference::softmax_cross_entropy(op_shape(), doubles(logits_), targets);
        const std::int64_t terms = op_shape().classes;
        return {{dlogits_, std::move(result.dlogits), terms}, {totals_, {result.loss_sum}, terms}};
    }

  private:
    void run(SoftmaxCrossEntropy::Kernel& kernel, std::size_t /*pass*/, const BenchPointers& t,
             void* workspace) const override {
        kernel.run({.logits = t[logits_],
                    .labels = soft_ ? nullptr : t.as<std::int32_t>(targets_),
                    .targets = soft_ ? t[targets_] : nullptr,
                    .dlogits = t[dlogits_],
                    .totals = t.as<SoftmaxCrossEntropy::Totals>(totals_),
                    .workspace = workspace});
    }

    bool soft_;
    std::size_t logits_ = 0, targets_ = 0, dlogits_ = 0, totals_ = 0;
};

Result<SoftmaxCrossEntropy::Shape> read(const BenchShape& shape) {
    const SoftmaxCrossEntropy::Shape s{.n = shape["n"], .classes = shape["classes"]};
    if (const Result<void> checked = check_size("logits", {s.n, s.classes}); !checked) {
        return make_error(checked.error());
    }
    return s;
}

std::unique_ptr<BenchCase> make(const BenchShape& shape, BenchData data) {
    return std::make_unique<SoftmaxCrossEntropyCase>(shape, read(shape).value(),
                                                     shape["labels"] == 1, data);
}

constexpr std::array<std::string_view, 2> label_kinds = {"hard", "soft"};

}  // namespace

const Operator& softmax_cross_entropy() {
    static const Operator op{
        SoftmaxCrossEntropy::name,
        {{.name = "n", .meaning = "samples", .usual = always<128>, .usual_text = "128"},
         {.name = "classes",
          .meaning = "of them",
          .usual = always<1000>,
          .usual_text = "1000",
          .least = 2},
         {.name = "labels",
          .meaning = "hard or soft",
          .usual = always<0>,
          .usual_text = "hard",
          .shown_when_usual = false,
          .words = label_kinds}},
        check_by<read>,
        make};
    return op;
}

}  // namespace trainscope::bench
