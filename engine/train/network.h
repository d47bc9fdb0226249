// SPDX-License-Identifier: GPL-3.0-or-later
// The network of one setting (micro-batch and variants): the plan's working memory, and kernels for
// every batch size that comes up, made when it first does. No allocation once they are made.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/device_runtime.h"
#include "engine/core/result.h"
#include "engine/model/graph.h"
#include "engine/model/memory_plan.h"
#include "engine/ops/optimizer_step.h"
#include "engine/ops/softmax_cross_entropy.h"
#include "engine/ops/step_results.h"
#include "engine/train/kernel_choice.h"
#include "engine/train/operator_timer.h"
#include "engine/train/parameter_table.h"
#include "engine/train/recorder.h"
#include "engine/train/stage.h"
#include "engine/train/training_memory.h"

namespace trainscope {

// Asked between stages, by the thread that computes them; true ends what runs there and then. It
// may also take its time: what runs then goes on where it was.
using Interrupted = std::function<bool()>;

class Network {
  public:
    // What it refers to must outlive it. Has no memory yet. Errors: a batch of one of `sizes`
    // (<= micro-batch) for which there is no kernel.
    static Result<Network> create(const Graph& graph, const ParameterTable& table,
                                  const ModelState& state, DeviceRuntime& runtime,
                                  Recorder& recorder, const PlanSettings& settings, MemoryPlan plan,
                                  std::span<const std::int64_t> sizes);

    Result<void> allocate(Arena& arena) { return allocate_blocks(arena, memory_); }
    void release() {
        forget_recordings();
        release_blocks(memory_);
    }
    // Whether a full micro-batch has been through both passes, and is recorded where that is on:
    // the next says what it takes.
    bool is_warm() const;
    // Makes the kernels of full micro-batches, if they are not there.
    void prepare() { use(settings_.micro_batch); }

    // Forward pass of the n samples in a slot, and the gradient of the logits; the loss is added to
    // the results. False when it was interrupted: batch norm's running values may then be those of
    // this batch. Where `timer` marks, stages are given one by one even if they are recorded.
    bool forward(const BatchSlot& slot, std::int64_t n, OperatorTimer& timer,
                 const Interrupted& interrupted);
    // Backward pass of what the last `forward` saw. False when it was interrupted: the gradients
    // are then of no use.
    bool backward(bool accumulate, OperatorTimer& timer, const Interrupted& interrupted);
    // As `forward`, but with batch norm's running values and without a gradient.
    bool evaluate(const BatchSlot& slot, std::int64_t n, const Interrupted& interrupted);

    // What was recorded of its passes: they are recorded anew where that is on.
    void forget_recordings();

    // In tensor memory; nullptr where the update does not read it.
    OptimizerStep* optimizer_step() const;
    // In tensor memory; the caller clears them.
    StepResults* results() const;
    void* workspace() const { return memory_.block(memory_.plan.workspace_block); }

    const PlanSettings& settings() const { return settings_; }
    const WorkingMemory& memory() const { return memory_; }
    // By operator: the variant that runs full micro-batches, or several separated by ", ".
    const std::map<std::string, std::string>& variants_used() const { return variants_used_; }

  private:
    // The passes over one of the input tensors. Two, so that their times can be told apart.
    struct Recordings {
        std::unique_ptr<RecordedWork> forward;
        std::array<std::unique_ptr<RecordedWork>, 2> backward;  // overwriting, accumulating
    };
    struct Kernels {
        std::vector<std::unique_ptr<Stage>> stages;  // nullptr: a view
        std::unique_ptr<SoftmaxCrossEntropy::Kernel> loss;
        bool have_run = false;               // both passes: libraries are warm
        std::vector<Recordings> recordings;  // by input tensor; empty: nothing is recorded
    };

    Network(const Graph& graph, const ParameterTable& table, const ModelState& state,
            DeviceRuntime& runtime, Recorder& recorder, const PlanSettings& settings,
            MemoryPlan plan);
    Result<void> check(std::span<const std::int64_t> sizes);
    void name_variants(const VariantsUsed& used);
    Kernels make_kernels(std::int64_t n) const;
    void use(std::int64_t n);
    void bind(const BatchSlot& slot);
    bool run_forward(const BatchSlot& slot, OperatorTimer* timer, const Interrupted& interrupted);
    bool run_backward(bool accumulate, OperatorTimer* timer, const Interrupted& interrupted);
    // Of the kernels in use, for a batch in `slot`; nullptr: they are to be run.
    Recordings* recordings_of(const BatchSlot& slot);
    bool record_passes();
    bool record_passes(const BatchSlot& slot);
    void run_loss(const BatchSlot& slot, bool with_gradient);

    const Graph* graph_;
    const ParameterTable* table_;
    const ModelState* state_;
    Recorder* recorder_;
    PlanSettings settings_;
    KernelChoice choice_;
    WorkingMemory memory_;
    std::map<std::int64_t, Kernels> kernels_;  // by batch size
    Kernels* used_ = nullptr;
    Recordings* replayed_ = nullptr;  // of the last `forward`
    std::vector<StageTensors> tensors_;
    std::map<std::string, std::string> variants_used_;
};

}  // namespace trainscope
