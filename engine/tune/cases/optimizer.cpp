// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/optimizer.h"

#include <array>

#include "engine/ops/reference/optimizer.h"
#include "engine/tune/cases/operator.h"

namespace trainscope::bench {
namespace {

constexpr double samples = 48;
constexpr std::int64_t step = 7;

class OptimizerCase final : public CaseOf<OptimizerUpdate> {
  public:
    OptimizerCase(const BenchShape& written, const OptimizerUpdate::Shape& shape,
                  OptimizerKind kind, BenchData data)
        : CaseOf(written, shape) {
        settings_.kind = kind;
        settings_.learning_rate = 1e-4F;
        BenchPass pass{.name = "run", .reads = {}, .writes = {}};
        const auto changed = [&](std::string_view name, const std::vector<float>& values) {
            const std::size_t tensor = add_input(name, values);
            pass.reads.push_back(tensor);
            pass.writes.push_back(tensor);
            return tensor;
        };
        parameters_ = changed("parameters", data.normal(shape.parameters));
        gradients_ = add_input("gradients", data.normal(shape.parameters, samples));
        pass.reads.push_back(gradients_);
        if (state_slots(kind) > 0) {
            state0_ = changed("state0", data.normal(shape.parameters));
        }
        if (state_slots(kind) > 1) {
            state1_ = changed("state1", data.uniform(shape.parameters, 0.5, 2));
        }
        norm_ = add({.name = "squared_norm", .element = BenchElement::float64, .count = 1});
        pass.writes.push_back(norm_);
        // The mean and the norm: 3; then the update as optimizer.h has it.
        constexpr std::array<double, 4> update = {2, 4, 12, 14};
        pass.flops =
            (3 + update[static_cast<std::size_t>(kind)]) * static_cast<double>(shape.parameters);
        add_pass(std::move(pass));
    }

    std::vector<ExpectedTensor> expected(std::size_t /*pass*/) const override {
        const int slots = state_slots(settings_.kind);
        const reference::Values unused = reference::zeros(op_shape().parameters);
        reference::OptimizerState state{doubles(parameters_), slots > 0 ? doubles(state0_) : unused,
                                        slots > 1 ? doubles(state1_) : unused};
        const double norm =
            reference::optimizer_step(settings_, step, samples, doubles(gradients_), state);
        const std::int64_t terms = 1;
        std::vector<ExpectedTensor> expected = {{parameters_, std::move(state.parameters), terms},
                                                {norm_, {norm}, terms}};
        if (slots > 0) {
            expected.push_back({state0_, std::move(state.state0), terms});
        }
        if (slots > 1) {
            expected.push_back({state1_, std::move(state.state1), terms});
        }
        return expected;
    }

  private:
    void run(OptimizerUpdate::Kernel& kernel, std::size_t /*pass*/, const BenchPointers& t,
             void* workspace) const override {
        const int slots = state_slots(settings_.kind);
        kernel.run({.settings = settings_,
                    .step = step,
                    .samples = samples,
                    .parameters = t[parameters_],
                    .gradients = t[gradients_],
                    .state0 = slots > 0 ? t[state0_] : nullptr,
                    .state1 = slots > 1 ? t[state1_] : nullptr,
                    .squared_norm = t.as<double>(norm_),
                    .workspace = workspace});
    }

    OptimizerSettings settings_;
    std::size_t parameters_ = 0, gradients_ = 0, state0_ = 0, state1_ = 0, norm_ = 0;
};

Result<OptimizerUpdate::Shape> read(const BenchShape& shape) {
    return OptimizerUpdate::Shape{.parameters = shape["parameters"]};
}

std::unique_ptr<BenchCase> make(const BenchShape& shape, BenchData data) {
    return std::make_unique<OptimizerCase>(shape, read(shape).value(),
                                           static_cast<OptimizerKind>(shape["kind"]), data);
}

constexpr std::array<std::string_view, 4> kinds = {
    name_of(OptimizerKind::sgd), name_of(OptimizerKind::momentum), name_of(OptimizerKind::adam),
    name_of(OptimizerKind::adamw)};

}  // namespace

const Operator& optimizer() {
    static const Operator op{OptimizerUpdate::name,
                             {{.name = "parameters",
                               .meaning = "of the model",
                               .usual = always<1'000'000>,
                               .usual_text = "1000000",
                               .most = std::int64_t{1} << 31},
                              {.name = "kind",
                               .meaning = "sgd, momentum, adam or adamw",
                               .usual = always<static_cast<std::int64_t>(OptimizerKind::momentum)>,
                               .usual_text = "momentum",
                               .words = kinds}},
                             check_by<read>,
                             make};
    return op;
}

}  // namespace trainscope::bench
