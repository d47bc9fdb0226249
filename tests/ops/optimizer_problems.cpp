// SPDX-License-Identifier: GPL-3.0-or-later
// Problems of the optimizers from random numbers: no golden file has cases of them.
#include <fmt/format.h>

#include "engine/ops/optimizer.h"
#include "engine/ops/reference/optimizer.h"
#include "tests/ops/problems.h"

namespace trainscope::testing {
namespace {

constexpr std::int64_t steps = 5;
constexpr double samples = 48;

// Five steps from random parameters.
class OptimizerProblem final : public ProblemOf<OptimizerUpdate> {
  public:
    OptimizerProblem(OptimizerKind kind, std::int64_t parameters)
        : ProblemOf(fmt::format("{}, {} parameters", name_of(kind), parameters),
                    {.parameters = parameters}),
          start_(random_floats(parameters, 0)) {
        settings_.kind = kind;
        settings_.learning_rate = 0.01F;
        const Doubles zeros(start_.size());
        expected_ = {doubles_of(start_), zeros, zeros};
        for (std::int64_t step = 1; step <= steps; ++step) {
            squared_norms_.push_back(reference::optimizer_step(
                settings_, step, samples, doubles_of(gradient_sums(step)), expected_));
        }
    }

    void expect_solved_by_reference() const override {}  // that is where it comes from

  private:
    Floats gradient_sums(std::int64_t step) const {
        return random_floats(shape().parameters, static_cast<std::uint64_t>(step), samples);
    }

    void expect_solved(OptimizerUpdate::Kernel& kernel, Workspace& workspace) const override {
        Guarded<float> parameters(start_);
        Guarded<float> state0(Floats(start_.size(), 0.0F));
        Guarded<float> state1(Floats(start_.size(), 0.0F));
        const int slots = state_slots(settings_.kind);
        for (std::int64_t step = 1; step <= steps; ++step) {
            const Floats gradients = gradient_sums(step);
            double got = -1;
            kernel.run({.settings = settings_,
                        .step = step,
                        .samples = samples,
                        .parameters = parameters.data(),
                        .gradients = gradients.data(),
                        .state0 = slots > 0 ? state0.data() : nullptr,
                        .state1 = slots > 1 ? state1.data() : nullptr,
                        .squared_norm = &got,
                        .workspace = workspace.fresh()});
            EXPECT_TRUE(is_close("the squared norm", Doubles{got},
                                 Doubles{squared_norms_[static_cast<std::size_t>(step - 1)]},
                                 1e-10));
        }
        const auto expect = [](std::string_view what, Guarded<float>& values,
                               const Doubles& expected) {
            EXPECT_TRUE(is_close(what, values.values(), expected, float32_tolerance(1)));
            EXPECT_TRUE(values.is_intact(what));
        };
        expect("parameters", parameters, expected_.parameters);
        expect("state0", state0, expected_.state0);
        expect("state1", state1, expected_.state1);
    }

    OptimizerSettings settings_;
    Floats start_;
    reference::OptimizerState expected_;
    Doubles squared_norms_;
};

}  // namespace

Problems ugly_optimizer() {
    Problems problems;
    for (const OptimizerKind kind : all_optimizers) {
        for (const std::int64_t parameters : {1, 31, 32, 33, 4095, 10'007}) {
            problems.push_back(std::make_unique<OptimizerProblem>(kind, parameters));
        }
    }
    return problems;
}

}  // namespace trainscope::testing
