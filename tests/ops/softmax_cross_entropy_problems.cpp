// SPDX-License-Identifier: GPL-3.0-or-later
// Problems of softmax_cross_entropy from golden cases and from random numbers.
#include <fmt/format.h>

#include "engine/ops/reference/softmax_cross_entropy.h"
#include "engine/ops/softmax_cross_entropy.h"
#include "tests/ops/problems.h"

namespace trainscope::testing {
namespace {

struct Inputs {
    SoftmaxCrossEntropy::Shape shape;
    Floats logits;
    std::vector<std::int32_t> labels;  // or
    Floats targets;
};
struct Expected {
    double loss_sum;
    Doubles dlogits;
};

reference::SoftmaxCrossEntropyResult reference_result(const Inputs& in) {
    return reference::softmax_cross_entropy(
        in.shape, doubles_of(in.logits),
        in.labels.empty() ? doubles_of(in.targets) : reference::one_hot(in.shape, in.labels));
}

class SoftmaxCrossEntropyProblem final : public ProblemOf<SoftmaxCrossEntropy> {
  public:
    SoftmaxCrossEntropyProblem(std::string name, Inputs inputs, Expected expected)
        : ProblemOf(std::move(name), inputs.shape),
          in_(std::move(inputs)),
          expected_(std::move(expected)),
          correct_(reference_result(in_).correct) {}

    void expect_solved_by_reference() const override {
        const auto got = reference_result(in_);
        EXPECT_TRUE(is_close("loss", Doubles{got.loss_sum}, Doubles{expected_.loss_sum},
                             reference_tolerance));
        EXPECT_TRUE(is_close("dlogits", got.dlogits, expected_.dlogits, reference_tolerance));
    }

  private:
    void expect_solved(SoftmaxCrossEntropy::Kernel& kernel, Workspace& workspace) const override {
        Guarded<float> dlogits(in_.logits.size());
        Guarded<float> logits(in_.logits);
        const double loss = run(kernel, workspace, logits.data(), dlogits.data());
        expect_gradient(dlogits);
        EXPECT_EQ(run(kernel, workspace, logits.data(), nullptr), loss)
            << "loss without a gradient";
        EXPECT_EQ(run(kernel, workspace, logits.data(), logits.data()), loss) << "loss in place";
        expect_gradient(logits);
    }

    double run(SoftmaxCrossEntropy::Kernel& kernel, Workspace& workspace, const float* logits,
               float* dlogits) const {
        const bool soft = in_.labels.empty();
        SoftmaxCrossEntropy::Totals totals{.loss_sum = 0, .correct = 1024};
        kernel.run({.logits = logits,
                    .labels = soft ? nullptr : in_.labels.data(),
                    .targets = soft ? in_.targets.data() : nullptr,
                    .dlogits = dlogits,
                    .totals = &totals,
                    .workspace = workspace.fresh()});
        EXPECT_TRUE(is_close("loss", Doubles{totals.loss_sum}, Doubles{expected_.loss_sum},
                             float32_tolerance(in_.shape.classes)));
        EXPECT_EQ(totals.correct, 1024 + correct_) << "added to what was there";
        return totals.loss_sum;
    }

    void expect_gradient(Guarded<float>& got) const {
        EXPECT_TRUE(is_close("dlogits", got.values(), expected_.dlogits,
                             float32_tolerance(in_.shape.classes)));
        EXPECT_TRUE(got.is_intact("dlogits"));
    }

    Inputs in_;
    Expected expected_;
    std::int64_t correct_;
};

Inputs random_inputs(const SoftmaxCrossEntropy::Shape& shape, bool soft) {
    Inputs in{shape, random_floats(shape.n * shape.classes, 1, 4), {}, {}};
    Random random(20, 2);
    for (std::int64_t n = 0; !soft && n < shape.n; ++n) {
        in.labels.push_back(
            static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(shape.classes))));
    }
    for (std::int64_t i = 0; soft && i < shape.n * shape.classes; ++i) {
        in.targets.push_back(static_cast<float>(random.uniform(0, 0.4)));
    }
    return in;
}

}  // namespace

// The file has means over the samples, the operator sums.
std::unique_ptr<Problem> golden_softmax_cross_entropy(const GoldenCase& golden) {
    Inputs inputs{{.n = golden.size("logits", 0), .classes = golden.size("logits", 1)},
                  golden.floats("logits"),
                  {},
                  {}};
    if (golden.tensor("target").dtype == "I64") {
        for (const double label : golden.doubles("target")) {
            inputs.labels.push_back(static_cast<std::int32_t>(label));
        }
    } else {
        inputs.targets = golden.floats("target");
    }
    const auto samples = static_cast<double>(inputs.shape.n);
    Expected expected{golden.doubles("loss").at(0) * samples, golden.doubles("dlogits")};
    for (double& gradient : expected.dlogits) {
        gradient *= samples;
    }
    return std::make_unique<SoftmaxCrossEntropyProblem>(golden.name, std::move(inputs),
                                                        std::move(expected));
}

Problems ugly_softmax_cross_entropy() {
    Problems problems;
    for (const SoftmaxCrossEntropy::Shape shape :
         {SoftmaxCrossEntropy::Shape{1, 2}, {1, 10}, {7, 31}, {513, 10}, {31, 33}, {3, 5001}}) {
        for (const bool soft : {false, true}) {
            const Inputs inputs = random_inputs(shape, soft);
            auto expected = reference_result(inputs);
            problems.push_back(std::make_unique<SoftmaxCrossEntropyProblem>(
                fmt::format("[{}, {}], {} labels", shape.n, shape.classes, soft ? "soft" : "hard"),
                inputs, Expected{expected.loss_sum, std::move(expected.dlogits)}));
        }
    }
    return problems;
}

}  // namespace trainscope::testing
