// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/network.h"

#include <fmt/ranges.h>

#include <stdexcept>
#include <utility>

#include "engine/model/fusion.h"
#include "engine/model/node_shapes.h"
#include "engine/ops/separate.h"

namespace trainscope {

Result<Network> Network::create(const Graph& graph, const ParameterTable& table,
                                const ModelState& state, DeviceRuntime& runtime, Recorder& recorder,
                                const PlanSettings& settings, MemoryPlan plan,
                                std::span<const std::int64_t> sizes) {
    Network network(graph, table, state, runtime, recorder, settings, std::move(plan));
    if (Result<void> checked = network.check(sizes); !checked) {
        return make_error(std::move(checked.error()));
    }
    return network;
}

Network::Network(const Graph& graph, const ParameterTable& table, const ModelState& state,
                 DeviceRuntime& runtime, Recorder& recorder, const PlanSettings& settings,
                 MemoryPlan plan)
    : graph_(&graph),
      table_(&table),
      state_(&state),
      recorder_(&recorder),
      settings_(settings),
      memory_(std::move(plan)),
      tensors_(memory_.plan.stages.size()) {
    const MemoryPlan& planned = memory_.plan;
    choice_ = {.device = settings.device,
               .variants = settings.variants,
               .context = {.threads = settings.threads, .runtime = &runtime},
               .micro_batch = settings.micro_batch};
    if (planned.workspace_block >= 0) {
        choice_.workspace_bytes =
            planned.blocks[static_cast<std::size_t>(planned.workspace_block)].bytes;
    }
}

Result<void> Network::check(std::span<const std::int64_t> sizes) {
    const Node& loss = graph_->nodes.back();
    const auto loss_of = [&](std::int64_t n) { return loss_shape(loss, n); };
    for (const std::int64_t n : sizes) {
        VariantsUsed used;
        for (const PlannedStage& stage : memory_.plan.stages) {
            if (Result<void> checked = check_stage(*graph_, stage, choice_, n, used); !checked) {
                return checked;
            }
        }
        const auto variant = kernel_variant<SoftmaxCrossEntropy>(choice_, n, loss_of);
        if (!variant) {
            return make_error(variant.error());
        }
        used[std::string(SoftmaxCrossEntropy::name)].insert((*variant)->name);
        if (n == settings_.micro_batch) {
            name_variants(used);
        }
    }
    return {};
}

void Network::name_variants(const VariantsUsed& used) {
    for (const auto& [op, names] : used) {
        variants_used_[op] = fmt::format("{}", fmt::join(names, ", "));
    }
    // What could be fused but is by no kernel is said to be separate.
    for (const FusedOperator& fused : fused_operators) {
        for (std::size_t i = 0; i < graph_->nodes.size(); ++i) {
            if (can_stand_at(fused, *graph_, i)) {
                variants_used_.emplace(fused.op, separate);
            }
        }
    }
}

Network::Kernels Network::make_kernels(std::int64_t n) const {
    const auto required = [](auto made) {
        if (!made) {
            throw std::logic_error(made.error().message);  // `create` has checked it
        }
        return std::move(*made);
    };
    Kernels kernels;
    for (const PlannedStage& stage : memory_.plan.stages) {
        kernels.stages.push_back(required(make_stage(
            *graph_, stage, choice_, n, parameters_of(*table_, *state_, stage.first_node))));
    }
    kernels.loss = required(make_kernel<SoftmaxCrossEntropy>(
        choice_, n, [&](std::int64_t m) { return loss_shape(graph_->nodes.back(), m); }));
    return kernels;
}

void Network::use(std::int64_t n) {
    auto found = kernels_.find(n);
    if (found == kernels_.end()) {
        found = kernels_.emplace(n, make_kernels(n)).first;
    }
    used_ = &found->second;
}

void Network::bind(const BatchSlot& slot) {
    const MemoryPlan& plan = memory_.plan;
    // Only the slot's samples change from batch to batch, and what views make of them.
    float* x = slot.samples;
    float* dx = nullptr;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
        const PlannedStage& stage = plan.stages[i];
        float* const y = stage.output_block < 0 ? x : memory_.block(stage.output_block);
        const Buffer* const winners =
            stage.index_block < 0 ? nullptr
                                  : &memory_.blocks[static_cast<std::size_t>(stage.index_block)];
        tensors_[i] = {
            .x = x,
            .y = y,
            .winners = winners == nullptr ? nullptr : static_cast<std::uint8_t*>(winners->data()),
            .saved = memory_.block(stage.saved_block),
            .dy = memory_.block(stage.gradient_block),
            .dx = dx,
            .workspace = memory_.block(plan.workspace_block)};
        x = y;
        dx = tensors_[i].dy;
    }
}

StepResults* Network::results() const {
    const auto block = static_cast<std::size_t>(memory_.plan.results_block);
    return static_cast<StepResults*>(memory_.blocks[block].data());
}

OptimizerStep* Network::optimizer_step() const {
    const std::int64_t block = memory_.plan.step_block;
    return block < 0 ? nullptr
                     : static_cast<OptimizerStep*>(
                           memory_.blocks[static_cast<std::size_t>(block)].data());
}

void Network::run_loss(const BatchSlot& slot, bool with_gradient) {
    const StageTensors& tensors = tensors_.back();
    used_->loss->run({.logits = tensors.x,
                      .labels = slot.labels,
                      .targets = slot.targets,
                      .dlogits = with_gradient ? tensors.dx : nullptr,
                      .totals = &results()->totals,
                      .workspace = tensors.workspace});
}

bool Network::is_warm() const {
    const auto full = kernels_.find(settings_.micro_batch);
    return full != kernels_.end() && full->second.have_run &&
           (!recorder_->is_on() || !full->second.recordings.empty());
}

bool Network::forward(const BatchSlot& slot, std::int64_t n, OperatorTimer& timer,
                      const Interrupted& interrupted) {
    use(n);
    replayed_ = timer.is_marking() ? nullptr : recordings_of(slot);
    bind(slot);
    if (replayed_ == nullptr) {
        return run_forward(slot, &timer, interrupted);
    }
    if (interrupted()) {
        return false;
    }
    replayed_->forward->replay();
    return true;
}

bool Network::backward(bool accumulate, OperatorTimer& timer, const Interrupted& interrupted) {
    if (timer.is_marking()) {
        timer.skip();
    }
    if (replayed_ == nullptr) {
        const bool whole = run_backward(accumulate, &timer, interrupted);
        used_->have_run = used_->have_run || whole;
        return whole;
    }
    if (interrupted()) {
        return false;
    }
    replayed_->backward[accumulate ? 1 : 0]->replay();
    return true;
}

Network::Recordings* Network::recordings_of(const BatchSlot& slot) {
    if (!recorder_->is_on() || !used_->have_run ||
        (used_->recordings.empty() && !record_passes())) {
        return nullptr;
    }
    const std::vector<std::int64_t>& inputs = memory_.plan.input_blocks;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (memory_.block(inputs[i]) == slot.samples) {
            return &used_->recordings[i];
        }
    }
    return nullptr;
}

// Of all input tensors and both ways to store gradients at once: neither the loader's turn nor a
// change of accumulation has anything recorded later.
bool Network::record_passes() {
    std::vector<BatchSlot> slots;
    memory_.get_slots(settings_.soft_targets, slots);
    for (const BatchSlot& slot : slots) {
        if (!record_passes(slot)) {
            used_->recordings.clear();
            return false;
        }
    }
    recorder_->count_part();
    return true;
}

bool Network::record_passes(const BatchSlot& slot) {
    const auto never = [] { return false; };
    bind(slot);
    Recordings made;
    made.forward = recorder_->record([&] { run_forward(slot, nullptr, never); });
    for (const bool accumulate : {false, true}) {
        if (recorder_->is_on()) {
            made.backward[accumulate ? 1 : 0] =
                recorder_->record([&] { run_backward(accumulate, nullptr, never); });
        }
    }
    if (recorder_->is_on()) {
        used_->recordings.push_back(std::move(made));
    }
    return recorder_->is_on();
}

void Network::forget_recordings() {
    replayed_ = nullptr;
    for (auto& [n, kernels] : kernels_) {
        kernels.recordings.clear();
    }
}

namespace {

void mark(OperatorTimer* timer, std::size_t stage, Pass pass) {
    if (timer != nullptr && timer->is_marking()) {
        timer->mark(stage, pass);
    }
}

}  // namespace

bool Network::run_forward(const BatchSlot& slot, OperatorTimer* timer,
                          const Interrupted& interrupted) {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
        if (interrupted()) {
            return false;
        }
        if (used_->stages[i] != nullptr) {
            used_->stages[i]->forward(tensors_[i]);
            mark(timer, i, Pass::forward);
        }
    }
    run_loss(slot, true);
    mark(timer, tensors_.size() - 1, Pass::forward);
    return true;
}

bool Network::run_backward(bool accumulate, OperatorTimer* timer, const Interrupted& interrupted) {
    for (std::size_t i = tensors_.size() - 1; i-- > 0;) {
        if (tensors_[i].dy == nullptr) {
            return true;  // nothing before it learns
        }
        if (interrupted()) {
            return false;
        }
        if (used_->stages[i] != nullptr) {
            used_->stages[i]->backward(tensors_[i], accumulate);
            mark(timer, i, Pass::backward);
        }
    }
    return true;
}

bool Network::evaluate(const BatchSlot& slot, std::int64_t n, const Interrupted& interrupted) {
    use(n);
    bind(slot);
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
        if (interrupted()) {
            return false;
        }
        if (used_->stages[i] != nullptr) {
            used_->stages[i]->infer(tensors_[i]);
        }
    }
    run_loss(slot, false);
    return true;
}

}  // namespace trainscope
