// SPDX-License-Identifier: GPL-3.0-or-later
// How a graph's tensors are laid into blocks. The rules are in the header.
#include "engine/model/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/model/fusion.h"
#include "engine/model/node_shapes.h"
#include "engine/ops/check_variant.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/optimizer_step.h"
#include "engine/ops/separate.h"
#include "engine/ops/step_results.h"

namespace trainscope {

namespace {

constexpr std::int64_t float_bytes = sizeof(float);
// Far above any machine's memory; they keep every sum and product below 2^63.
constexpr std::int64_t most_elements = std::int64_t{1} << 50;
constexpr std::int64_t most_macs = std::int64_t{1} << 60;
constexpr int most_slots = 1024;

template <class Spec>
bool is(const Node& node) {
    return std::holds_alternative<Spec>(node.spec);
}

// A choice for an operator that this model does not have must be a known one as well.
Result<void> check_variant_names(const PlanSettings& settings) {
    for (const auto& [op, name] : settings.variants.names()) {
        if (Result<void> known = check_variant(settings.device, op, name); !known) {
            return known;
        }
    }
    return {};
}

class Planner {
  public:
    Planner(const Graph& graph, const PlanSettings& settings)
        : graph_(graph), settings_(settings), context_{.threads = settings.threads} {}

    Result<MemoryPlan> plan() {
        if (Result<void> checked = check_settings(); !checked) {
            return make_error(std::move(checked.error()));
        }
        if (Result<void> known = check_variant_names(settings_); !known) {
            return make_error(std::move(known.error()));
        }
        add_state();
        if (Result<void> added = add_stages(); !added) {
            return make_error(std::move(added.error()));
        }
        if (Result<void> added = add_workspace<SoftmaxCrossEntropy>(
                loss_shape(graph_.nodes.back(), settings_.micro_batch));
            !added) {
            return make_error(std::move(added.error()));
        }
        if (Result<void> added = add_workspace<OptimizerUpdate>({graph_.parameter_count()});
            !added) {
            return make_error(std::move(added.error()));
        }
        add_gradients();
        add_block(plan_.workspace_block, "workspace", "", MemoryCategory::workspace,
                  workspace_bytes_);
        add_block(plan_.results_block, "results", "", MemoryCategory::workspace,
                  static_cast<std::int64_t>(sizeof(StepResults)));
        if (settings_.device != DeviceKind::cpu) {
            add_block(plan_.step_block, "step values", "", MemoryCategory::workspace,
                      static_cast<std::int64_t>(sizeof(OptimizerStep)));
        }
        add_input();
        return std::move(plan_);
    }

  private:
    Result<void> check_settings() const {
        if (settings_.micro_batch < 1) {
            return make_error(ErrorCode::invalid_argument,
                              "The micro-batch must be at least 1, not {}.", settings_.micro_batch);
        }
        if (settings_.threads < 1 || settings_.threads > most_threads) {
            return make_error(ErrorCode::invalid_argument,
                              "The number of threads must be from 1 to {}, not {}.", most_threads,
                              settings_.threads);
        }
        if (settings_.input_slots < 0 || settings_.input_slots > most_slots) {
            return make_error(ErrorCode::invalid_argument,
                              "The loader's slots must be from 0 to {}, not {}.", most_slots,
                              settings_.input_slots);
        }
        if (settings_.micro_batch > most_elements / sample_elements() ||
            settings_.micro_batch > most_macs / std::max<std::int64_t>(1, graph_.macs())) {
            return make_error(ErrorCode::invalid_argument,
                              "A micro-batch of {} is larger than any memory.",
                              settings_.micro_batch);
        }
        return {};
    }

    // At least as many as one sample has in all blocks; cut off above most_elements.
    std::int64_t sample_elements() const {
        std::int64_t sum = std::min(graph_.input.elements() + graph_.classes, most_elements) *
                           std::max(1, settings_.input_slots);
        for (const Node& node : graph_.nodes) {
            sum = std::min(sum + std::min(node.output.elements(), most_elements), most_elements);
        }
        return sum;
    }

    void add_block(std::int64_t& index, std::string name, std::string layer,
                   MemoryCategory category, std::int64_t bytes) {
        if (bytes == 0) {
            return;
        }
        index = static_cast<std::int64_t>(plan_.blocks.size());
        const std::int64_t rounded = rounded_allocation(bytes);
        plan_.blocks.push_back({std::move(name), std::move(layer), category, rounded});
        plan_.usage[category] += rounded;
    }

    void add_state() {
        std::int64_t running = 0;
        for (const Node& node : graph_.nodes) {
            for (const ParameterSpec& parameter : node.parameters) {
                running += parameter.trainable ? 0 : parameter.shape.elements();
            }
        }
        const std::int64_t bytes = graph_.parameter_count() * float_bytes;
        add_block(plan_.parameters_block, "parameters", "", MemoryCategory::parameters, bytes);
        add_block(plan_.buffers_block, "running statistics", "", MemoryCategory::parameters,
                  running * float_bytes);
        add_block(plan_.kept_buffers_block, "running statistics before the step", "",
                  MemoryCategory::parameters, running * float_bytes);
        add_block(plan_.gradients_block, "gradients", "", MemoryCategory::gradients, bytes);
        const int slots = state_slots(settings_.optimizer);
        add_block(plan_.state0_block, "optimizer state 1", "", MemoryCategory::optimizer_state,
                  slots > 0 ? bytes : 0);
        add_block(plan_.state1_block, "optimizer state 2", "", MemoryCategory::optimizer_state,
                  slots > 1 ? bytes : 0);
    }

    Result<void> add_stages() {
        std::vector<const FusedOperator*> fused(graph_.nodes.size());
        for (const FusedOperator& candidate : fused_operators) {
            if (Result<void> found = find_fused(candidate, fused); !found) {
                return found;
            }
        }
        for (std::size_t i = 0; i < graph_.nodes.size();) {
            PlannedStage stage{.first_node = i};
            if (fused[i] != nullptr) {
                stage.node_count = fused[i]->parts.size();
                stage.fused = fused[i];
            }
            if (Result<void> added = add_stage(stage); !added) {
                return added;
            }
            i += stage.node_count;
        }
        return {};
    }

    // Marks the nodes at which one kernel of `candidate` begins. An operator that was chosen by
    // name is not fused away unasked, where it is the one that the work is in: the first.
    Result<void> find_fused(const FusedOperator& candidate,
                            std::vector<const FusedOperator*>& fused) {
        const bool chosen = settings_.variants.of(candidate.op) != "auto";
        if (!chosen && settings_.variants.of(candidate.parts.front()) != "auto") {
            return {};
        }
        std::optional<Error> refusal;
        bool any = false;
        for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
            if (!can_stand_at(candidate, graph_, i)) {
                continue;
            }
            const Result<bool> kernel = with_fused_operator(candidate, graph_, i, HasKernel{*this});
            if (kernel) {
                fused[i] = *kernel ? &candidate : nullptr;
                any = true;
            } else if (!refusal) {
                refusal = kernel.error();
            }
        }
        if (refusal && chosen && !any) {
            return make_error(*refusal);
        }
        return {};
    }

    // Whether a kernel was chosen, and not `separate`.
    struct HasKernel {
        const Planner& planner;

        template <class Op, class ShapeOf>
        Result<bool> of(const ShapeOf& shape_of) const {
            const auto variant = planner.choose<Op>(shape_of(planner.settings_.micro_batch));
            if (!variant) {
                return make_error(variant.error());
            }
            return (*variant)->name != separate;
        }
    };

    template <class Op>
    Result<const KernelVariant<Op>*> choose(const typename Op::Shape& shape) const {
        return choose_variant<Op>(settings_.device, settings_.variants.of(Op::name), shape);
    }

    template <class Op>
    Result<void> add_workspace(const typename Op::Shape& shape) {
        const auto variant = choose<Op>(shape);
        if (!variant) {
            return make_error(variant.error());
        }
        workspace_bytes_ = std::max(workspace_bytes_, (*variant)->workspace_bytes(shape, context_));
        return {};
    }

    Result<void> add_stage(PlannedStage stage) {
        const Node& first = graph_.nodes[stage.first_node];
        const Node& last = graph_.nodes[stage.first_node + stage.node_count - 1];
        const std::int64_t n = settings_.micro_batch;
        if (Result<void> added = with_operator(graph_, stage, WorkspaceAdder{*this}); !added) {
            return added;
        }
        const bool first_stage = owner_.empty();
        const bool view = is<FlattenSpec>(first) || is<SoftmaxCrossEntropySpec>(first);
        const bool in_place = is<ReluSpec>(first) && !first_stage && owner_.back();
        const std::string name = stage.node_count > 1 ? first.name + ".." + last.name : first.name;
        if (!view && !in_place) {
            add_block(stage.output_block, name + " output", first.name, MemoryCategory::activations,
                      n * last.output.elements() * float_bytes);
        }
        if (is<MaxPoolSpec>(last)) {
            add_block(stage.index_block, name + " winners", first.name, MemoryCategory::activations,
                      n * last.output.elements());
        }
        if (is<BatchNormSpec>(first)) {
            add_block(stage.saved_block, name + " batch statistics", first.name,
                      MemoryCategory::activations,
                      (stage.fused == nullptr ? 2 : 3) * first.input[0] * float_bytes);
        }
        // Whether what this stage gives lies in a block of the network, not in the batch's samples.
        owner_.push_back(stage.output_block >= 0 || (!first_stage && owner_.back()));
        plan_.stages.push_back(stage);
        return {};
    }

    // The loss's is added by itself.
    struct WorkspaceAdder {
        Planner& planner;

        template <class Op, class ShapeOf>
        Result<void> of(const ShapeOf& shape_of) const {
            return planner.add_workspace<Op>(shape_of(planner.settings_.micro_batch));
        }
        Result<void> view() const { return {}; }
    };

    // From the loss backwards: a stage that works in place hands its gradient on; one that does not
    // writes the other of two blocks, since the one it reads is dead right after.
    void add_gradients() {
        std::vector<PlannedStage>& stages = plan_.stages;
        const auto trained = [&](const PlannedStage& stage) {
            return !graph_.nodes[stage.first_node].parameters.empty();
        };
        const auto first_trained = static_cast<std::size_t>(
            std::find_if(stages.begin(), stages.end(), trained) - stages.begin());
        // Which of the two blocks holds the gradient of each stage's output; -1: none.
        std::vector<int> side(stages.size(), -1);
        std::array<std::int64_t, 2> elements{};
        for (std::size_t i = stages.size() - 1; i-- > first_trained;) {
            const Node& next = graph_.nodes[stages[i + 1].first_node];
            const bool handed_on = is<ReluSpec>(next) || is<BatchNormSpec>(next) ||
                                   is<FlattenSpec>(next) || is<SoftmaxCrossEntropySpec>(next);
            side[i] = i + 2 == stages.size() ? 0 : handed_on ? side[i + 1] : 1 - side[i + 1];
            const std::size_t last = stages[i].first_node + stages[i].node_count - 1;
            std::int64_t& largest = elements[static_cast<std::size_t>(side[i])];
            largest = std::max(largest, graph_.nodes[last].output.elements());
        }
        std::array<std::int64_t, 2> blocks = {-1, -1};
        for (std::size_t s = 0; s < 2; ++s) {
            add_block(blocks[s], fmt::format("activation gradients {}", s + 1), "",
                      MemoryCategory::activations,
                      settings_.micro_batch * elements[s] * float_bytes);
        }
        for (std::size_t i = 0; i < stages.size(); ++i) {
            if (side[i] >= 0) {
                stages[i].gradient_block = blocks[static_cast<std::size_t>(side[i])];
            }
        }
    }

    void add_input() {
        const std::int64_t n = settings_.micro_batch;
        const std::int64_t target_bytes = settings_.soft_targets
                                              ? graph_.classes * float_bytes
                                              : static_cast<std::int64_t>(sizeof(std::int32_t));
        for (int slot = 1; slot <= settings_.input_slots; ++slot) {
            std::int64_t samples = -1;
            std::int64_t targets = -1;
            add_block(samples, fmt::format("batch {} samples", slot), "", MemoryCategory::input,
                      n * graph_.input.elements() * float_bytes);
            add_block(targets, fmt::format("batch {} targets", slot), "", MemoryCategory::input,
                      n * target_bytes);
            plan_.input_blocks.push_back(samples);
            plan_.target_blocks.push_back(targets);
        }
    }

    const Graph& graph_;
    const PlanSettings& settings_;
    KernelContext context_;
    MemoryPlan plan_;
    std::int64_t workspace_bytes_ = 0;
    std::vector<bool> owner_;  // a stage each
};

}  // namespace

Result<MemoryPlan> plan_memory(const Graph& graph, const PlanSettings& settings) {
    return Planner(graph, settings).plan();
}

std::int64_t largest_micro_batch(const Graph& graph, PlanSettings settings, std::int64_t budget,
                                 std::int64_t upper) {
    const auto fits = [&](std::int64_t micro_batch) {
        settings.micro_batch = micro_batch;
        const Result<MemoryPlan> plan = plan_memory(graph, settings);
        return plan && plan->usage.total() <= budget;
    };
    // Tensors grow with the batch, and so do the workspaces of all our variants.
    std::int64_t low = 0;
    std::int64_t high = std::min(upper, most_elements) + 1;
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (fits(middle) ? low : high) = middle;
    }
    return low;
}

}  // namespace trainscope
